// What is asked once somebody's words have come in that nobody here wrote: an effect that cannot be taken back, a host
// that nobody named before, and work for an agent that may do more. No rule in a file lifts it; a person's grant does.

import { requestedHost } from "../projections/folds/taint.ts";
import type { PermissionRequest, Verdict } from "./permission.ts";

export function taintVerdict(request: PermissionRequest): Verdict | undefined {
  const { taint } = request;
  const [first, ...others] = taint?.sources ?? [];
  if (!taint || first === undefined) return undefined;
  const why = reason(request, taint);
  if (why === undefined) return undefined;
  const from = others.length === 0 ? first : `${first} and ${others.length} more`;
  return { verdict: "ask", rule: `taint ask: words from ${from} came in${why}`, basis: "taint" };
}

/** Undefined: it is harmless enough. */
function reason(
  { tool, input, effect }: PermissionRequest,
  { hosts, raises }: NonNullable<PermissionRequest["taint"]>,
): string | undefined {
  if (effect === "unsafe") return "";
  if (raises !== undefined) return `, and ${raises}`;
  const host = requestedHost(tool, input);
  if (host === undefined || hosts.includes(host)) return undefined;
  return `, and ${host || "its host"} is new`;
}
