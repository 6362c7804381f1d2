// Problems of the tools and rules in an agent's file, with positions. They are warnings: the agent runs with fewer tools
// than meant, or with a rule that restricts nothing.

import type { Problem } from "../config/problem.ts";
import type { Data, Path, YamlDocument } from "../config/yaml.ts";
import { type RuleEffect, ruleProblems } from "../permissions/rule-problems.ts";
import { type AgentValues, canonicalKey } from "./frontmatter.ts";

type RuleValues = Pick<AgentValues, "tools" | "disallowedTools" | "permissions">;

/** `toolNames`: names and aliases of all tools. */
export function agentRuleProblems(
  values: RuleValues,
  document: YamlDocument,
  toolNames: readonly string[],
): Problem[] {
  const keys = Object.keys(document.data as Record<string, Data>);
  return ruleLists(values).flatMap(({ path: [key, ...rest], effect, rules }) => {
    const written = keys.find((name) => canonicalKey(name) === key)!;
    return ruleProblems(rules, toolNames, effect).map(
      ({ index, code, message, suggestion }): Problem => ({
        file: document.file,
        ...document.at([written, ...rest, index]),
        code,
        severity: "warning",
        message,
        ...(suggestion ? { suggestion } : {}),
      }),
    );
  });
}

interface RuleList {
  path: Path;
  effect: RuleEffect;
  rules: readonly string[];
}

function ruleLists({ tools, disallowedTools = [], permissions }: RuleValues): RuleList[] {
  const listed = Array.isArray(tools);
  const { allow = [], ask = [], deny = [] } = listed ? { allow: tools } : (tools ?? {});
  return [
    { path: listed ? ["tools"] : ["tools", "allow"], effect: "allow", rules: allow },
    { path: ["tools", "ask"], effect: "ask", rules: ask },
    { path: ["tools", "deny"], effect: "deny", rules: deny },
    { path: ["disallowedTools"], effect: "deny", rules: disallowedTools },
    { path: ["permissions", "ask"], effect: "ask", rules: permissions?.ask ?? [] },
    { path: ["permissions", "deny"], effect: "deny", rules: permissions?.deny ?? [] },
  ];
}
