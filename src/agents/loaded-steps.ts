// The types of a loaded steps module. They are in a separate file, so that `decide` does not import the loader.

export type StepsMain = (given: { task: string; input: unknown }) => Iterator<unknown, unknown, unknown>;

export type LoadedSteps =
  /** Hash of the current file. It can differ from the hash in a pinned definition. */
  | { main: StepsMain; hash: string }
  /** A sentence that says why the module cannot be loaded. */
  | { problem: string };
