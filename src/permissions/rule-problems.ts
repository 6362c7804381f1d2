// Checks rules that people write, before a run relies on them.
// For example, a deny rule for a tool that does not exist would silently forbid nothing.

import type { Config } from "../config/config.ts";
import { type Problem, suggestWord } from "../config/problem.ts";
import { omitUndefined } from "../omit-undefined.ts";
import { ruleProblem } from "./rules.ts";

export type RuleEffect = "allow" | "ask" | "deny";

export interface RuleProblem {
  rule: string;
  index: number;
  code: "UNKNOWN_TOOL" | "BAD_RULE";
  message: string;
  suggestion?: string;
}

/** `toolNames` contains the names and aliases of all tools, in any letter case. */
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

/** Problems of the rules in cadre.yaml. A broken ask or deny rule is an error, because it might restrict too little. */
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
        ...omitUndefined({ suggestion }),
      }),
    ),
  );
}

const IDLE = { allow: "allows nothing", ask: "asks about nothing", deny: "forbids nothing" };

/** The effect of an unreadable rule. An allow rule allows nothing. An ask or deny rule applies to every call of its tool. */
const BROKEN = { allow: "allows nothing", ask: "asks about every call", deny: "forbids every call" };

/** True if the name might match a tool that is not in the list: a wildcard, a tool of an MCP server, or `final_report`. */
const isOpen = (name: string): boolean =>
  name.includes("*") || /^mcp__/i.test(name) || name.toLowerCase() === "final_report";

/** Tool names of other products and of other versions of Cadre. They are not typing errors. */
const ABSENT = new Set(
  `agent bashoutput check_run exitplanmode killshell list_agents
  multiedit notebookedit notebookread slashcommand task todoread wait_for_runs
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
  const message = `no tool is called \`${name}\`, so "${rule}" ${IDLE[effect]}`;
  return [{ rule, index, code, message, ...suggestWord(name, toolNames) }];
}
