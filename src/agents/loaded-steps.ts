// The module that controls an agent, once it is loaded. Types only, so that `decide` can name it without its loader.

export type StepsMain = (given: { task: string; input: unknown }) => Iterator<unknown, unknown, unknown>;

export type LoadedSteps =
  /** The current file. The hash in a pinned definition may differ. */
  | { main: StepsMain; hash: string }
  /** Why it cannot be loaded, as a sentence. */
  | { problem: string };
