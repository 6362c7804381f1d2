// `cadre reject ID`: rejects a call. The agent gets the reason and continues without it.

import { withClient } from "../connection/connect.ts";
import { EXIT, type Invocation } from "../invocation.ts";
import { resolveApprovalId } from "../lookup/find-approval.ts";
import { nextDriverText } from "../view/drivers.ts";
import { jsonLine } from "../view/text/plain.ts";

export async function reject(
  { folder, io, json, screen, commandLine }: Invocation,
  given: string,
  { note }: { note?: string },
): Promise<number> {
  return withClient({ folder, io }, async (client) => {
    const id = await resolveApprovalId(client, given, commandLine);
    const decision = { decision: "reject" as const, ...(note === undefined ? {} : { note }) };
    const { alreadyDecided } = await client.post("/api/approvals/{id}", { id, body: decision });
    const word = alreadyDecided ? "It was already rejected" : "Rejected";
    screen.line(
      json
        ? jsonLine({ id, ...decision, alreadyDecided })
        : `${word}; ${await nextDriverText(client, commandLine)}.`,
    );
    return EXIT.done;
  });
}
