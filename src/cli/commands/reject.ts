// `cadre reject ID`: refuses a call; the agent reads the reason and goes on without it.

import { withClient } from "../connect.ts";
import { approvalIdOf } from "../find-item.ts";
import { EXIT, type Invocation } from "../io.ts";
import { jsonLine } from "../view/plain.ts";
import { whoGoesOn } from "../who-goes-on.ts";

export async function reject(
  { folder, io, json, screen, typed }: Invocation,
  given: string,
  { note }: { note?: string },
): Promise<number> {
  return withClient({ folder, io }, async (client) => {
    const id = await approvalIdOf(client, given, typed);
    const decision = { decision: "reject" as const, ...(note === undefined ? {} : { note }) };
    const { alreadyDecided } = await client.decide(id, decision);
    const word = alreadyDecided ? "Was rejected already" : "Rejected";
    screen.line(
      json ? jsonLine({ id, ...decision, alreadyDecided }) : `${word}; ${await whoGoesOn(client, typed)}.`,
    );
    return EXIT.done;
  });
}
