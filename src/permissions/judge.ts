// Judges a call, and names the rule that decided. The checks run in this order:
//   the agent's gate > deny > a person's grants > ask in a fork, from above, or because of taint > the most specific ask or allow
//   > the preset > the default.
// A part of a command that cannot be read never matches an allow rule. If it might match a deny rule, the call asks.

import {
  type DeclaredFacts,
  declaresReach,
  type FindFacts,
  type NamedTool,
  requestedHost,
} from "../journal/tool-facts.ts";
import { type Call, describeCall, isReadOnlyUnit, type Unit } from "./call.ts";
import { namedGrant } from "./grant.ts";
import { GRANT_RULE, type Grant, type Judge, type PermissionRequest, type Verdict } from "./permission.ts";
import { defaultVerdict, presetAllowance, presetDenial } from "./presets.ts";
import { firstMatch, rulesFor } from "./rules.ts";

/** `find` looks up what a tool declares about itself. An unknown tool is assumed to reach everything. */
export const createJudge =
  (find: FindFacts): Judge =>
  (request) => {
    const facts = find(request.tool);
    const call = describeCall(request, facts?.target);
    const denial = findDenial(call, request);
    const host = requestedHost(facts?.target, request.input);
    const verdict =
      gateVerdict(call, request) ??
      (denial?.sure ? denial.verdict : undefined) ??
      presetDenial(request, facts) ??
      grantVerdict(call, request) ??
      forkVerdict(request) ??
      taintVerdict(request, facts, host) ??
      inheritedAsk(call, request) ??
      denial?.verdict ??
      ruleVerdict(call, request, facts);
    return host ? { ...verdict, host } : verdict;
  };

function gateVerdict(call: Call, { gate }: PermissionRequest): Verdict | undefined {
  if (gate.allow === undefined) return undefined;
  const listed = rulesFor(gate.allow, "strict", call.tool).filter((rule) => rule.names(call.tool.name));
  // A bare name passes every call of the tool, even for protected files, because the gate only says which tools the agent has.
  const passes = call.units.every((unit) => listed.some((rule) => rule.bare || rule.matches(unit) === "yes"));
  return passes ? undefined : { verdict: "deny", rule: "agent tools: not listed" };
}

function findDenial(call: Call, request: PermissionRequest): { sure: boolean; verdict: Verdict } | undefined {
  let doubt: { sure: boolean; verdict: Verdict } | undefined;
  const own = { source: "agent tools", rules: request.gate };
  for (const { source, rules } of [own, ...request.ancestors, ...request.authority]) {
    const found = firstMatch(rulesFor(rules.deny, "wide", call.tool), call);
    if (!found) continue;
    const rule = `${source} deny ${found.rule.text}`;
    if (found.match === "yes") return { sure: true, verdict: { verdict: "deny", rule } };
    doubt ??= { sure: false, verdict: { verdict: "ask", rule: `${rule} cannot be ruled out` } };
  }
  return doubt;
}

/** An effect in a fork asks, because the rules were written for the original run. No rule in a file can override this. */
function forkVerdict({ forked, tool }: PermissionRequest): Verdict | undefined {
  return forked ? { verdict: "ask", rule: `fork ask ${tool}: it is not recorded` } : undefined;
}

/** Every part of the call must be granted, except for read-only commands. */
function grantVerdict(call: Call, request: PermissionRequest): Verdict | undefined {
  let decisive: string | undefined;
  const own = namedGrant(call.tool, request.input);
  const standing = request.grants.filter((grant) => isInForce(grant, request));
  for (const unit of call.units) {
    // A grant for `sh` does not cover `cat x | sh`, because the person did not see that input.
    const isFed = unit.kind === "command" && unit.command.fed;
    const grant = standing.find(
      ({ rule }) =>
        rule === own ||
        (!isFed && rulesFor(singleton(rule), "strict", call.tool).some((one) => one.matches(unit) === "yes")),
    );
    if (grant) decisive ??= grant.rule;
    else if (!isReadOnlyUnit(unit)) return undefined;
  }
  return decisive === undefined
    ? undefined
    : { verdict: "allow", rule: `${GRANT_RULE} ${decisive}`, basis: "grant" };
}

/** Whether the grant has not expired, and was given for this folder or for a folder that this one is a copy of (A21). */
function isInForce(
  { folder, until }: Grant,
  { workspace, mergesInto = [], now }: PermissionRequest,
): boolean {
  if (until !== undefined && until <= now) return false;
  return folder === undefined || folder === workspace || mergesInto.includes(folder);
}

function inheritedAsk(call: Call, { gate, ancestors }: PermissionRequest): Verdict | undefined {
  const own = firstMatch(rulesFor(gate.ask, "wide", call.tool), call);
  if (own) return { verdict: "ask", rule: `agent tools ask ${own.rule.text}` };
  for (const { source, rules } of ancestors) {
    const found = firstMatch(rulesFor(rules.ask, "wide", call.tool), call);
    if (found) return { verdict: "ask", rule: `${source} ask ${found.rule.text}` };
  }
  return undefined;
}

/** Judges each part by its most specific rule, or else by the default. If one part asks, the whole call asks. */
function ruleVerdict(call: Call, request: PermissionRequest, facts: DeclaredFacts | undefined): Verdict {
  let byRule: Verdict | undefined;
  let byDefault: Verdict | undefined;
  for (const unit of call.units) {
    const rule = mostSpecific(unit, call.tool, request.authority) ?? presetAllowance(unit, call, request);
    const verdict = rule ?? defaultVerdict(unit, call, facts);
    if (verdict.verdict === "ask") return verdict;
    byRule ??= rule;
    byDefault = verdict;
  }
  return byRule ?? byDefault ?? { verdict: "ask", rule: `default ask ${call.tool.name}`, basis: "default" };
}

function mostSpecific(
  unit: Unit,
  tool: NamedTool,
  authority: PermissionRequest["authority"],
): Verdict | undefined {
  let best: Verdict | undefined;
  let weight = -1;
  for (const { source, rules } of authority) {
    for (const rule of rulesFor(rules.ask, "wide", tool)) {
      if (
        rule.weight < weight ||
        (rule.weight === weight && best?.verdict === "ask") ||
        rule.matches(unit) === "no"
      )
        continue;
      best = { verdict: "ask", rule: `${source} ask ${rule.text}` };
      weight = rule.weight;
    }
    for (const rule of rulesFor(rules.allow, "strict", tool)) {
      if (rule.weight <= weight || rule.matches(unit) !== "yes") continue;
      best = { verdict: "allow", rule: `${source} allow ${rule.text}` };
      weight = rule.weight;
    }
  }
  return best;
}

const SINGLETONS = new Map<string, readonly string[]>();

/** One shared list per grant, because compiled rules are cached by list. */
function singleton(rule: string): readonly string[] {
  const known = SINGLETONS.get(rule);
  if (known) return known;
  if (SINGLETONS.size > 1_000) SINGLETONS.clear();
  const list = [rule];
  SINGLETONS.set(rule, list);
  return list;
}

/** In a tainted run, these calls ask: effects that cannot be undone, new hosts, and work for an agent that may do more. */
function taintVerdict(
  request: PermissionRequest,
  facts: DeclaredFacts | undefined,
  host: string | undefined,
): Verdict | undefined {
  const { taint } = request;
  const [first, ...others] = taint?.sources ?? [];
  if (!taint || first === undefined) return undefined;
  const why = taintReason(request.effect, taint, facts, host);
  if (why === undefined) return undefined;
  const from = others.length === 0 ? first : `${first} and ${others.length} more`;
  return { verdict: "ask", rule: `taint ask: words from ${from} came in${why}`, basis: "taint" };
}

/** Says why the call asks. Undefined if the call is harmless, which a call of a tool that declares nothing never is. */
function taintReason(
  effect: PermissionRequest["effect"],
  { hosts, raises }: NonNullable<PermissionRequest["taint"]>,
  facts: DeclaredFacts | undefined,
  host: string | undefined,
): string | undefined {
  if (effect === "unsafe" || !declaresReach(facts)) return "";
  if (raises !== undefined) return `, and ${raises}`;
  return host === undefined || hosts.includes(host) ? undefined : `, and ${host || "its host"} is new`;
}
