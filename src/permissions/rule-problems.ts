// What is wrong with rules that a person wrote, said before a run relies on them: a rule for a tool that nobody has is
// read without a word, and forbids nothing.

import type { Config } from "../config/config.ts";
import { nearestWord, type Problem } from "../config/problem.ts";
import { ruleProblem } from "./rules.ts";

export type RuleEffect = "allow" | "ask" | "deny";

export interface RuleProblem {
  rule: string;
  /** Its place in the list. */
  index: number;
  code: "UNKNOWN_TOOL" | "BAD_RULE";
  message: string;
  suggestion?: string;
}

/** `toolNames`: the names and aliases of every tool there is; letter case does not matter. */
export function ruleProblems(
  rules: readonly string[],
  toolNames: readonly string[],
  effect: RuleEffect = "deny",
): RuleProblem[] {
  const known = new Set(toolNames.map((name) => name.toLowerCase()));
  return rules.flatMap((rule, index) => {
    const name = rule.split("(", 1)[0]!.trim();
    const isKnown = known.has(name.toLowerCase()) || isOpen(name);
    const unreadable = ruleProblem(rule);
    if (unreadable) {
      const message = `${unreadable}; until then it ${isKnown ? BROKEN[effect] : IDLE[effect]}`;
      return [{ rule, index, code: "BAD_RULE", message }];
    }
    return isKnown ? [] : unknownTool({ rule, index, name, toolNames, effect });
  });
}

/** Those of cadre.yaml. What holds too little back is an error, what lets too little pass a warning; neither throws. */
export function configRuleProblems(
  { permissions, at }: Pick<Config, "permissions" | "at">,
  toolNames: readonly string[],
): Problem[] {
  return (["allow", "ask", "deny"] as const).flatMap((effect) =>
    ruleProblems(permissions[effect], toolNames, effect).map(
      ({ index, code, message, suggestion }): Problem => ({
        file: "cadre.yaml",
        ...at(["permissions", effect, index]),
        code,
        severity: effect === "allow" ? "warning" : "error",
        message,
        ...(suggestion ? { suggestion } : {}),
      }),
    ),
  );
}

const IDLE = { allow: "allows nothing", ask: "asks about nothing", deny: "forbids nothing" };

/** An unreadable rule speaks of its whole tool, except where that would allow more. */
const BROKEN = { allow: "allows nothing", ask: "asks about every call", deny: "forbids every call" };

/** Names that may come to stand for a tool: wildcards, servers' tools, and the loop's own. */
const isOpen = (name: string): boolean =>
  name.includes("*") || /^mcp__/i.test(name) || name.toLowerCase() === "final_report";

/** Tools of other programs and of later versions: real names, so they are no typing errors. */
const ABSENT = new Set(
  `agent bashoutput check_run exitplanmode killshell list_agents
  multiedit notebookedit notebookread skill slashcommand task todoread wait_for_runs
  webfetch websearch`.split(/\s+/),
);

interface UnknownName {
  rule: string;
  index: number;
  name: string;
  toolNames: readonly string[];
  effect: RuleEffect;
}

function unknownTool({ rule, index, name, toolNames, effect }: UnknownName): RuleProblem[] {
  const code = "UNKNOWN_TOOL";
  if (ABSENT.has(name.toLowerCase())) {
    if (effect !== "allow") return [];
    return [{ rule, index, code, message: `this version has no tool \`${name}\`: "${rule}" allows nothing` }];
  }
  const meant = nearestWord(name, toolNames);
  const message = `no tool is called \`${name}\`, so "${rule}" ${IDLE[effect]}`;
  return [{ rule, index, code, message, ...(meant ? { suggestion: `did you mean \`${meant}\`?` } : {}) }];
}
