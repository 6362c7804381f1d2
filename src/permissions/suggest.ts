// Rules that would have spared a person from being asked, tried on what people have decided: each is held against every
// decision by the judge itself. Pure.
//  SG1  No rule is suggested that would have let pass what a person refused or changed.
//  SG2  It rests on calls that people allowed where nobody else's words had come in, and is no wider than they were.

import type { DeclaredFacts, FindFacts } from "../journal/tool-facts.ts";
import { candidateRules } from "./candidate-rules.ts";
import type { Judge, PastCall, PermissionRequest } from "./permission.ts";

export interface Suggestion {
  rule: string;
  /** Calls that a person allowed and would not have been asked about, of all those of the same kind. */
  spared: number;
  of: number;
  /** Calls of that kind that people refused; it lets none of them pass. */
  refused: number;
  /** Some of those that it would still ask about. */
  stillAsked: string[];
}

/** Fewer are no habit. */
const FEWEST = 3;
const MOST_TRIED = 40;
const MOST_SUGGESTED = 5;
const MOST_SHOWN = 5;

export function suggestRules(past: readonly PastCall[], judge: Judge, find: FindFacts): Suggestion[] {
  const refused = past.filter(({ decided }) => decided === "refused");
  // What passes by now needs no rule, and what is forbidden by now gets none.
  const asked = past.filter(
    ({ decided, request }) =>
      decided === "allowed" && isEvidence(request) && judge(request).verdict === "ask",
  );
  const lets =
    (rule: string) =>
    ({ request }: PastCall): boolean =>
      judge(withRule(request, rule)).verdict === "allow";
  const tried = candidatesOf(asked, find)
    .filter((rule) => !refused.some(lets(rule)))
    .map((rule) => ({ rule, spares: new Set(asked.filter(lets(rule))) }))
    .sort((a, b) => b.spares.size - a.spares.size || b.rule.length - a.rule.length);
  const chosen: Suggestion[] = [];
  const spared = new Set<PastCall>();
  for (const { rule, spares } of tried) {
    if (chosen.length === MOST_SUGGESTED || spares.difference(spared).size < FEWEST) continue;
    for (const call of spares) spared.add(call);
    chosen.push(told(rule, spares, asked, refused, find));
  }
  return chosen;
}

/** A67: what was allowed once strangers' words were in is no habit to go by, nor is what a fork was allowed to repeat. */
const isEvidence = ({ taint, forked }: PermissionRequest): boolean => !forked && !taint?.sources.length;

const withRule = (request: PermissionRequest, rule: string): PermissionRequest => ({
  ...request,
  authority: [...request.authority, { source: "suggested", rules: { allow: [rule], ask: [], deny: [] } }],
});

/** Those that enough calls speak for; a wildcard only where what it leaves open was different each time. */
function candidatesOf(asked: readonly PastCall[], find: FindFacts): string[] {
  const support = new Map<string, { calls: number; seen: Set<string>; isOpen: boolean }>();
  for (const { request } of asked) {
    for (const { rule, seen, isOpen } of candidateRules(request.tool, request.input, find(request.tool))) {
      const known = support.get(rule) ?? { calls: 0, seen: new Set(), isOpen };
      support.set(rule, { ...known, calls: known.calls + 1, seen: known.seen.add(seen) });
    }
  }
  return [...support]
    .filter(([, { calls, seen, isOpen }]) => calls >= FEWEST && (!isOpen || seen.size > 1))
    .sort(([a, one], [b, other]) => other.calls - one.calls || b.length - a.length)
    .slice(0, MOST_TRIED)
    .map(([rule]) => rule);
}

function told(
  rule: string,
  spares: ReadonlySet<PastCall>,
  asked: readonly PastCall[],
  refused: readonly PastCall[],
  find: FindFacts,
): Suggestion {
  const kindOf = ({ request: { tool } }: PastCall): string => (changesFiles(find(tool)) ? "Edit" : tool);
  const kind = kindOf(spares.values().next().value!);
  const alike = asked.filter((call) => kindOf(call) === kind);
  const rest = alike.filter((call) => !spares.has(call)).map(({ title }) => title);
  return {
    rule,
    spared: spares.size,
    of: alike.length,
    refused: refused.filter((call) => kindOf(call) === kind).length,
    stillAsked: [...new Set(rest)].slice(0, MOST_SHOWN),
  };
}

/** `Edit(x)` speaks of every way to change a file. */
const changesFiles = (facts: DeclaredFacts | undefined): boolean =>
  facts?.target?.kind === "path" && facts.target.use === "changes";
