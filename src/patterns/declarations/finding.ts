// A problem that a check of all agents found.

export interface Finding {
  /** The key of the agent's file that is wrong. */
  key: string;
  /** A stable code, for editors and CI. */
  code: string;
  severity: "error" | "warning";
  message: string;
  suggestion?: string;
  /** The agent named in the key, if the problem is that agent. */
  names?: string;
  /** True if the check removes the agent in `names` from the delegates. */
  drop?: true;
}

type More = Partial<Pick<Finding, "suggestion" | "names" | "drop">>;

const findingOf =
  (severity: Finding["severity"]) =>
  (key: string, code: string, message: string, more: More = {}): Finding => ({
    ...{ key, code, severity, message },
    ...more,
  });

export const errorAt = findingOf("error");
export const warningAt = findingOf("warning");
