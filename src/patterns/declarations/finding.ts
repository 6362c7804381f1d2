// A problem that a check of a whole set of agents found.

export interface Finding {
  /** The key of the agent's file that is wrong. */
  key: string;
  /** Stable, for editors and CI. */
  code: string;
  severity: "error" | "warning";
  message: string;
  suggestion?: string;
  /** The agent that the key names there, if the problem is about that one. */
  names?: string;
  /** Removes that agent from those the checked one may delegate to. */
  drop?: true;
}

type More = Partial<Pick<Finding, "suggestion" | "names" | "drop">>;

export const errorAt = (key: string, code: string, message: string, more: More = {}): Finding => ({
  key,
  code,
  severity: "error",
  message,
  ...more,
});

export const warningAt = (key: string, code: string, message: string, more: More = {}): Finding => ({
  key,
  code,
  severity: "warning",
  message,
  ...more,
});
