// Doctor's check of cadre.yaml.

import { loadConfig } from "../../config/config.ts";
import { type Problem, problemText } from "../../config/problem.ts";
import { messageOf } from "../../errors.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { Finding } from "./machine.ts";

type Env = Readonly<Record<string, string | undefined>>;

export function configChecks(folder: string, env: Env): Finding[] {
  const name = "cadre.yaml";
  try {
    const { file, problems } = loadConfig({ folder, env });
    const warnings = problems.map((problem) => problemFinding(name, problem));
    return warnings.length > 0
      ? warnings
      : [{ state: "ok", name, text: file ? "read" : "none, which is fine" }];
  } catch (error) {
    return [{ state: "bad", name, text: messageOf(error), fix: "fix that line" }];
  }
}

/** Converts a problem in a file to a finding of doctor. */
export function problemFinding(name: string, problem: Problem): Finding {
  const { suggestion: fix, ...rest } = problem;
  const state = problem.severity === "error" ? "bad" : "warn";
  return { state, name, text: problemText(rest), ...omitUndefined({ fix }) };
}
