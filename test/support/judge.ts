// Helpers for permission tests. They judge one call under the given rules.

import type { Preset } from "../../src/journal/definition.ts";
import type { FindFacts } from "../../src/journal/tool-facts.ts";
import { declaredTool } from "../../src/loop/builtin-tools/declared/index.ts";
import { createGrantFor } from "../../src/permissions/grant.ts";
import { createJudge } from "../../src/permissions/judge.ts";
import type { PermissionRequest, Verdict } from "../../src/permissions/permission.ts";
import { builtinTools } from "../../src/tools/index.ts";

/** Facts that Cadre's own tools declare about a call. Undefined for any other tool. */
export const toolFacts: FindFacts = (name) =>
  declaredTool(name) ?? builtinTools.find((tool) => tool.name === name);

export const judge = createJudge(toolFacts);
export const grantFor = createGrantFor(toolFacts);

type Loose = { preset?: Preset; allow?: string[]; ask?: string[]; deny?: string[] };
const rules = (loose: Loose = {}) => ({ allow: [], ask: [], deny: [], ...loose });

export interface Setting {
  project?: Loose;
  run?: Loose;
  person?: Loose;
  parent?: Loose;
  gate?: Loose;
  grants?: PermissionRequest["grants"];
  effect?: PermissionRequest["effect"];
  taint?: PermissionRequest["taint"];
  hosts?: PermissionRequest["hosts"];
}

export function verdict(tool: string, input: unknown, setting: Setting = {}): Verdict {
  return judge({
    tool,
    input,
    effect: setting.effect ?? "read",
    gate: { allow: setting.gate?.allow, ask: setting.gate?.ask ?? [], deny: setting.gate?.deny ?? [] },
    ancestors: setting.parent ? [{ source: "ancestor lead", rules: rules(setting.parent) }] : [],
    authority: [
      { source: "person", rules: rules(setting.person) },
      { source: "project", rules: rules(setting.project) },
      { source: "run", rules: rules(setting.run) },
    ],
    grants: setting.grants ?? [],
    taint: setting.taint,
    hosts: setting.hosts,
    workspace: "/w/proj",
    now: 1_000,
  });
}

export const bash = (command: string, setting: Setting = {}) => verdict("Bash", { command }, setting);

export const write = (path: string, setting: Setting = {}) =>
  verdict("Write", { path, content: "x" }, setting);

/** Builds the complete verdict that a test expects. If a command cannot be judged, the text of the rule contains the reason. */
export function expectedVerdict(expected: string, rule: string) {
  const [, unjudged] = /: cannot judge, (.+)$/.exec(rule) ?? [];
  return {
    verdict: expected,
    rule,
    ...(rule.startsWith("default ask") ? { basis: "default" } : {}),
    ...(rule.startsWith("person grant") ? { basis: "grant" } : {}),
    ...(unjudged === undefined ? {} : { unjudged }),
  };
}
