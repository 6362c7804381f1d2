// Computes the tools that an agent is allowed to call. An absent or null `tools` allows every tool, and an empty list allows none.
// Unknown tool names are dropped. If all names are unknown, the agent has no tools at all.

import type { Problem } from "../../config/problem.ts";
import type { Data, Path, YamlDocument } from "../../config/yaml.ts";
import { agentId } from "../../journal/agent-id.ts";
import type { Definition } from "../../journal/definition.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { type RuleEffect, ruleProblems } from "../../permissions/rule-problems.ts";
import type { AgentEnvironment, ReportProblem } from "../agent.ts";
import { FILE_CHANGING_TOOLS } from "../dialects/tool-names.ts";
import { type AgentValues, canonicalKey } from "../frontmatter.ts";

export interface Policy {
  /** The verbs that the agent is allowed to use. If undefined, all verbs are allowed. */
  verbs?: readonly string[] | undefined;
  /** The agents to which this agent is allowed to delegate. If undefined, all agents in `agents` are allowed. */
  targets?: readonly string[] | undefined;
}

export function readPolicy({ policy, delegate_targets: targets }: AgentValues): Policy {
  if (policy === undefined) return { targets };
  if (Array.isArray(policy)) return { verbs: policy, targets };
  const inner = policy.delegate_targets;
  const both = targets && inner ? inner.filter(nameMatcher(targets)) : (inner ?? targets);
  return { verbs: policy.verbs, targets: both };
}

/** Tools that change files, for callers that do not pass the list of tools. */
const PATCHING: NonNullable<AgentEnvironment["patches"]> = FILE_CHANGING_TOOLS.map((name) => ({ name }));

/** Rules for requests of an external program that name neither a file nor a command (RN2). */
const PATCHING_KINDS = ["edit", "delete", "move", "execute"].map((kind) => `mcp__acp__${kind}`);

interface Gate extends Pick<AgentEnvironment, "toolNames" | "patches"> {
  values: AgentValues;
  document: YamlDocument;
  report: ReportProblem;
}

export function toolGate({
  values,
  document,
  report,
  toolNames,
  patches = PATCHING,
}: Gate): Definition["tools"] {
  const { tools } = values;
  if (tools === null) {
    const message = "`tools` has no value and counts as absent: every tool; write `[]` for none";
    report("tools", { code: "TOOLS_EMPTY", message });
  }
  const { allow, ask = [], deny: denied = [] } = Array.isArray(tools) ? { allow: tools } : (tools ?? {});
  const deny = [...denied, ...(values.disallowedTools ?? [])];
  const { verbs } = readPolicy(values);
  if (verbs && !verbs.includes("Patch")) deny.push(...withheldTools({ values, allow, report, patches }));
  for (const problem of toolNames ? agentRuleProblems(values, document, toolNames) : [])
    report("tools", problem);
  const gate = { ask, deny: [...new Set(deny)] };
  if (allow === undefined || allow.includes("*")) return gate;
  return { allow: toolNames ? knownTools(allow, toolNames, report) : allow, ...gate };
}

interface Withholding extends Pick<Gate, "values" | "report"> {
  allow: readonly string[] | undefined;
  patches: NonNullable<AgentEnvironment["patches"]>;
}

/** If the policy has no `Patch`, the agent must not change files, so every tool that can change files is denied (S4-6). */
function withheldTools({ values, allow = [], report, patches }: Withholding): string[] {
  const listed = new Set(allow.map((rule) => rule.split("(", 1)[0]!.trim().toLowerCase()));
  const isListed = ({ name, aliases = [] }: (typeof patches)[number]): boolean =>
    [name, ...aliases].some((each) => listed.has(each.toLowerCase()));
  const lost = patches.filter(isListed).map(({ name }) => name);
  if (lost.length > 0) {
    const message = `\`tools\` names ${lost.join(", ")}, and its \`policy\` has no \`Patch\`: tools that can change files are withheld`;
    report("tools", { code: "PATCH_WITHHELD", message, suggestion: "add `Patch` to `policy`" });
  }
  return [...patches.map(({ name }) => name), ...(values.runner ? PATCHING_KINDS : [])];
}

function knownTools(allow: string[], toolNames: readonly string[], report: ReportProblem): string[] {
  const nobodys = new Set(ruleProblems(allow, toolNames).map(({ index }) => index));
  const known = allow.filter((_, index) => !nobodys.has(index));
  if (known.length === 0 && allow.length > 0) {
    const message = "none of its tools is known: it has no tools at all";
    report("tools", { code: "NO_KNOWN_TOOLS", message });
  }
  return known;
}

/** Placeholder for every subagent of the project and of the user. `references.ts` replaces it. No agent can have this name. */
export const ALL_SUBAGENTS = "kind:subagent";

/** The delegates that the policy allows. Each name is spelled as in the file. */
export function allowedDelegates(values: AgentValues, policy: Policy): string[] {
  const { verbs, targets } = policy;
  if (verbs && !verbs.includes("Delegate")) return [];
  const agents = values.agents ?? policyDelegates(values, policy) ?? [];
  const named = [...new Map(agents.map((name) => [agentId(name), name])).values()];
  return targets ? named.filter(nameMatcher(targets)) : named;
}

/** S4-6, S4-7: the delegates of a file without `agents`: its `delegate_targets`, or every subagent if `policy` has `Delegate`. */
export function policyDelegates(
  values: AgentValues,
  { verbs, targets }: Policy = readPolicy(values),
): readonly string[] | undefined {
  if (values.agents !== undefined || values.router || (verbs && !verbs.includes("Delegate")))
    return undefined;
  return targets ?? (verbs && values.kind !== "subagent" ? [ALL_SUBAGENTS] : undefined);
}

/** Accepts an agent if the list has its full name, such as `factory/planner`, or its name without the pack. */
function nameMatcher(targets: readonly string[]): (name: string) => boolean {
  const ids = new Set(targets.map(agentId));
  if (targets.includes("*")) return () => true;
  return (name) => ids.has(agentId(name)) || ids.has(agentId(name).split("/").at(-1)!);
}

type RuleValues = Pick<AgentValues, "tools" | "disallowedTools" | "permissions">;

/** Reports problems of the tools and rules in an agent's file. They are warnings, because the agent can run with fewer tools. */
function agentRuleProblems(
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
        ...omitUndefined({ suggestion }),
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
