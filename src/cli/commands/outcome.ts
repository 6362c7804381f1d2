// `cadre outcome RUN CALL VERDICT`: records a person's verdict on whether an interrupted call took effect (P4).
// If no verdict is given, the command looks for the call's effect. If no call is given, it lists the calls with an unknown outcome.

import type { ApprovalView, OutcomeBody } from "../../api/client/types.ts";
import { withClient } from "../connection/connect.ts";
import { type Invocation, report, usageError } from "../invocation.ts";
import { loadCards, reportCards } from "../lookup/approvals.ts";
import { probeLines } from "../view/approval.ts";
import { reportRecorded } from "../view/drivers.ts";

const VERDICTS = ["happened", "run_again", "fail"] as const;

interface OutcomeOptions {
  output?: string;
  note?: string;
}

export async function outcome(
  invocation: Invocation,
  runId: string | undefined,
  callId: string | undefined,
  word: string | undefined,
  { continue: starts, ...options }: OutcomeOptions & { continue: boolean },
): Promise<number> {
  if (word === undefined && Object.keys(options).length > 0)
    throw usageError(`Give a verdict, one of ${VERDICTS.join(", ")}: without one nothing is decided.`);
  if (runId === undefined || callId === undefined) return list(invocation, runId);
  if (word === undefined) return probe(invocation, runId, callId);
  const body: OutcomeBody = { callId, verdict: verdictOf(word), ...options };
  return withClient(invocation, async (client) => {
    const { alreadyDecided } = await client.post("/api/runs/{id}/outcome", { id: runId, body });
    const value = { runId, ...body, alreadyDecided };
    return reportRecorded(invocation, client, { value, text: "Recorded", starts });
  });
}

/** Lists the calls with an unknown outcome. A run's id limits the list to that run. */
async function list(invocation: Invocation, runId: string | undefined): Promise<number> {
  const cards = await withClient(invocation, async (client) => {
    if (runId !== undefined) await client.get("/api/runs/{id}", { id: runId });
    const open = (await client.get("/api/approvals")).approvals;
    const isListed = (item: ApprovalView): boolean =>
      item.kind === "outcome" && item.runId.startsWith(runId ?? "");
    return loadCards(client, open.filter(isListed));
  });
  return reportCards(invocation, cards, "No call here has an unknown outcome.");
}

/** PB1: the probe only proposes a verdict; the person decides. */
async function probe(invocation: Invocation, runId: string, callId: string): Promise<number> {
  const found = await withClient(invocation, (client) =>
    client.post("/api/runs/{id}/probe", { id: runId, body: { callId } }),
  );
  const command = invocation.commandLine(`outcome ${runId} ${callId} happened|run_again|fail`);
  return report(invocation, { runId, callId, ...found }, [
    ...probeLines(found),
    `Nothing was decided. To decide: ${command}`,
  ]);
}

function verdictOf(word: string): OutcomeBody["verdict"] {
  const verdict = VERDICTS.find((known) => known === word.replace("-", "_"));
  if (verdict) return verdict;
  throw usageError(`${word} is not a verdict: use one of ${VERDICTS.join(", ")}. Nothing was decided.`);
}
