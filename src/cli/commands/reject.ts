// `cadre reject ID`: refuses a call; the agent reads the reason and goes on without it.

import { withClient } from "../connect.ts";
import { resolveApprovalId } from "../find-item.ts";
import { EXIT, type Invocation } from "../io.ts";
import { jsonLine } from "../view/plain.ts";
import { nextDriverText } from "../who-goes-on.ts";

export async function reject(
  { folder, io, json, screen, typed }: Invocation,
  given: string,
  { note }: { note?: string },
): Promise<number> {
  return withClient({ folder, io }, async (client) => {
    const id = await resolveApprovalId(client, given, typed);
    const decision = { decision: "reject" as const, ...(note === undefined ? {} : { note }) };
    const { alreadyDecided } = await client.decide(id, decision);
    const word = alreadyDecided ? "Was rejected already" : "Rejected";
    screen.line(
      json
        ? jsonLine({ id, ...decision, alreadyDecided })
        : `${word}; ${await nextDriverText(client, typed)}.`,
    );
    return EXIT.done;
  });
}
