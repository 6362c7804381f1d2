// What is asked once somebody's words have come in that nobody here wrote: an effect that cannot be taken back, a host
// that nobody named before, and work for an agent that may do more. No rule in a file lifts it; a person's grant does.

import { type DeclaredFacts, declaresReach } from "../journal/tool-facts.ts";
import type { PermissionRequest, Verdict } from "./permission.ts";

export function taintVerdict(
  request: PermissionRequest,
  facts: DeclaredFacts | undefined,
): Verdict | undefined {
  const { taint } = request;
  const [first, ...others] = taint?.sources ?? [];
  if (!taint || first === undefined) return undefined;
  const why = reason(request, taint, facts);
  if (why === undefined) return undefined;
  const from = others.length === 0 ? first : `${first} and ${others.length} more`;
  return { verdict: "ask", rule: `taint ask: words from ${from} came in${why}`, basis: "taint" };
}

/** Undefined: it is harmless enough. A tool that declares nothing never is. */
function reason(
  { input, effect }: PermissionRequest,
  { hosts, raises }: NonNullable<PermissionRequest["taint"]>,
  facts: DeclaredFacts | undefined,
): string | undefined {
  if (effect === "unsafe" || !declaresReach(facts)) return "";
  if (raises !== undefined) return `, and ${raises}`;
  if (facts.target?.kind !== "url") return undefined;
  const url = ((input ?? {}) as Record<string, unknown>)[facts.target.field];
  const host = (typeof url === "string" && URL.parse(url)?.host) || "";
  return hosts.includes(host) ? undefined : `, and ${host || "its host"} is new`;
}
