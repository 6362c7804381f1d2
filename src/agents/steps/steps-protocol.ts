// Messages between Cadre, the thread that talks to modules, and the processes in which modules run.

export type StepsRequest = { id: number } & (
  | { do: "load"; url: string; vocabulary: string }
  | { do: "begin"; iterator: number; given: unknown }
  | { do: "next"; iterator: number; value?: unknown }
  | { do: "drop"; iterator: number }
);

/** An error that a module has thrown. Empty if the thrown value cannot be shown. */
export interface Thrown {
  text?: string;
  stack?: string;
}

export interface StepsAnswer {
  done?: boolean;
  value?: unknown;
  /** Set instead of a value that JSON cannot carry. */
  kind?: "function" | "symbol" | "deep" | "no generator";
  thrown?: Thrown;
  /** True if the process does not run, or has ended. */
  gone?: true;
}

/** A request from the main thread. With `argv`, the thread first starts the module's process, unless that process runs already. */
export interface ThreadRequest {
  key: string;
  argv?: readonly string[];
  request: StepsRequest;
  timeout: number;
}
