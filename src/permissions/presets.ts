// The default policy when no rule matches. A project or a run chooses a preset. The run's choice overrides the project's, except
// that `read-only` always applies.
//   read-only  allows reads; every other call is denied, whatever a rule or a grant says
//   ask        asks before a change and allows the rest; used if no preset is chosen
//   edits      also allows Write and Edit, except for protected files
//   trusted    allows everything that is not protected and that no rule denies or asks about

import type { Preset } from "../journal/definition.ts";
import { canReach, type DeclaredFacts, reachesOnlyRuns } from "../journal/tool-facts.ts";
import { type Call, isReadOnlyUnit, type Unit } from "./call.ts";
import type { PermissionRequest, Verdict } from "./permission.ts";
import { rulesFor } from "./rules.ts";

/** Calls that each preset allows in addition to the default, as rules. */
const ALLOWS: Record<Preset, readonly string[]> = {
  "read-only": [],
  ask: [],
  edits: ["Write", "Edit"],
  trusted: ["*"],
};

type Authority = Pick<PermissionRequest, "authority">;

/** The run's own choice is the last one in the list. */
export function presetOf({ authority }: Authority): Preset {
  const chosen = authority.flatMap(({ rules }) => rules.preset ?? []);
  return chosen.includes("read-only") ? "read-only" : (chosen.at(-1) ?? "ask");
}

export function presetDenial(
  request: PermissionRequest,
  facts: DeclaredFacts | undefined,
): Verdict | undefined {
  const { tool, effect } = request;
  if (effect === "read" || reachesOnlyRuns(facts) || presetOf(request) !== "read-only") return undefined;
  return { verdict: "deny", rule: `preset read-only deny ${tool}` };
}

export function presetAllowance(unit: Unit, { tool }: Call, request: Authority): Verdict | undefined {
  const preset = presetOf(request);
  const rule = rulesFor(ALLOWS[preset], "strict", tool).find((one) => one.matches(unit) === "yes");
  return rule && { verdict: "allow", rule: `preset ${preset} allow ${rule.text}` };
}

export function defaultVerdict(unit: Unit, { tool }: Call, facts: DeclaredFacts | undefined): Verdict {
  if (unit.protected !== undefined) return { verdict: "ask", rule: `protected ${unit.protected}` };
  if (isReadOnlyUnit(unit)) return { verdict: "allow", rule: `default allow ${tool.name}: only reads` };
  if (unit.kind === "unread") {
    const rule = `default ask ${tool.name}: cannot judge, ${unit.why}`;
    return { verdict: "ask", rule, basis: "default", unjudged: unit.why };
  }
  return asksByDefault(facts)
    ? { verdict: "ask", rule: `default ask ${tool.name}`, basis: "default" }
    : { verdict: "allow", rule: `default allow ${tool.name}` };
}

/** True for tools of MCP servers, tools that change files or run commands, and tools that declare nothing. */
const asksByDefault = (facts: DeclaredFacts | undefined): boolean =>
  facts?.server !== undefined || canReach(facts, "files", "commands");
