// The loaded module that controls an agent. This file has only types, so that `decide` can use them without the loader.

export type StepsMain = (given: { task: string; input: unknown }) => Iterator<unknown, unknown, unknown>;

export type LoadedSteps =
  /** Hash of the current file. The hash in a pinned definition may differ. */
  | { main: StepsMain; hash: string }
  /** Says in a sentence why the module cannot be loaded. */
  | { problem: string };
