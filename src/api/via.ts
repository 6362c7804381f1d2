// Through what somebody acts, beside who they are: a decision that came through a protocol is recorded as such. It is the
// word of whoever has the token anyway, so it gives nothing; only names that we know count.

import { VIA_HEADER } from "./client/send.ts";

const NAMES: Readonly<Record<string, string>> = { mcp: "MCP", acp: "ACP" };

/** `maria via MCP`. */
export function actorOf(who: string, request: Request): string {
  const via = NAMES[request.headers.get(VIA_HEADER) ?? ""];
  return via === undefined ? who : `${who} via ${via}`;
}
