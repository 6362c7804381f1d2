// What holds where no rule says anything. Four words that a project or a run may choose by; the run's comes before the
// project's, but whoever says `read-only` is heard.
//   read-only  nothing but reads: every other call is denied, whatever a rule or a grant says
//   ask        asks before a change that matters, lets the rest pass; the one that holds where nobody chose
//   edits      Write and Edit pass as well, but for protected files
//   trusted    everything passes that is not denied, asked for by a rule, or protected

import type { Preset } from "../journal/definition.ts";
import { canReach, type DeclaredFacts, reachesOnlyRuns } from "../journal/tool-facts.ts";
import { type Call, isReadOnlyUnit, type Unit } from "./call.ts";
import type { PermissionRequest, Verdict } from "./permission.ts";
import { rulesFor } from "./rules.ts";

/** What each lets pass beyond the default, as rules. */
const ALLOWS: Record<Preset, readonly string[]> = {
  "read-only": [],
  ask: [],
  edits: ["Write", "Edit"],
  trusted: ["*"],
};

type Authority = Pick<PermissionRequest, "authority">;

/** The run's own word stands last. */
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

/** Tools of MCP servers, tools that change files or run commands, and tools that declare nothing. */
const asksByDefault = (facts: DeclaredFacts | undefined): boolean =>
  facts?.server !== undefined || canReach(facts, "files", "commands");
