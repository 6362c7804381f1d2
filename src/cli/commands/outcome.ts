// `cadre outcome RUN CALL VERDICT`: records whether a call that a crash interrupted took effect, as a person has found out
// (P4). Without a verdict it probes for the effect; without a call it lists the calls in question.

import type { OutcomeBody } from "../../api/client/types.ts";
import { CadreError } from "../../errors.ts";
import { withClient } from "../connection/connect.ts";
import { EXIT, type Invocation } from "../invocation.ts";
import { loadCards } from "../lookup/approval-cards.ts";
import { cardLines, probeLines } from "../view/approval.ts";
import { nextDriverText } from "../view/drivers.ts";
import { jsonLine } from "../view/text/plain.ts";

const VERDICTS = ["happened", "run_again", "fail"] as const;

export interface OutcomeOptions {
  output?: string;
  note?: string;
}

export async function outcome(
  invocation: Invocation,
  runId: string | undefined,
  callId: string | undefined,
  word: string | undefined,
  options: OutcomeOptions,
): Promise<number> {
  if (word === undefined) refuseOptions(options);
  if (runId === undefined || callId === undefined) return list(invocation, runId);
  if (word === undefined) return look(invocation, runId, callId);
  const { folder, io, json, screen, commandLine } = invocation;
  const body: OutcomeBody = { callId, verdict: verdictOf(word), ...options };
  return withClient({ folder, io }, async (client) => {
    const { alreadyDecided } = await client.post("/api/runs/{id}/outcome", { id: runId, body });
    screen.line(
      json
        ? jsonLine({ runId, ...body, alreadyDecided })
        : `Recorded; ${await nextDriverText(client, commandLine)}.`,
    );
    return EXIT.done;
  });
}

function refuseOptions(options: OutcomeOptions): void {
  if (Object.keys(options).length === 0) return;
  throw new CadreError(
    "USAGE",
    `Give a verdict, one of ${VERDICTS.join(", ")}: without one nothing is decided.`,
  );
}

/** Lists the calls with an unknown outcome, of all runs or of one. */
async function list(
  { folder, io, json, screen, commandLine }: Invocation,
  runId: string | undefined,
): Promise<number> {
  const cards = await withClient({ folder, io }, async (client) => {
    if (runId !== undefined) await client.get("/api/runs/{id}", { id: runId });
    const open = (await client.get("/api/approvals")).approvals;
    return loadCards(
      client,
      open.filter((item) => item.kind === "outcome" && item.runId.startsWith(runId ?? "")),
    );
  });
  if (json) screen.line(jsonLine(cards.map(({ item, task }) => ({ ...item, task }))));
  else if (cards.length === 0) screen.line("No call here has an unknown outcome.");
  else for (const line of cardLines(cards, commandLine, screen)) screen.line(line);
  return EXIT.done;
}

/** PB1: the probe only proposes; the person decides. */
async function look(
  { folder, io, json, screen, commandLine }: Invocation,
  runId: string,
  callId: string,
): Promise<number> {
  const probe = await withClient({ folder, io }, (client) =>
    client.post("/api/runs/{id}/probe", { id: runId, body: { callId } }),
  );
  if (json) screen.line(jsonLine({ runId, callId, ...probe }));
  else {
    for (const line of probeLines(probe)) screen.line(line);
    screen.line(
      `Nothing was decided. To decide: ${commandLine(`outcome ${runId} ${callId} happened|run_again|fail`)}`,
    );
  }
  return EXIT.done;
}

function verdictOf(word: string): OutcomeBody["verdict"] {
  const verdict = VERDICTS.find((known) => known === word.replace("-", "_"));
  if (verdict) return verdict;
  throw new CadreError(
    "USAGE",
    `${word} is not a verdict: use one of ${VERDICTS.join(", ")}. Nothing was decided.`,
  );
}
