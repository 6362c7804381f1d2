// `cadre outcome RUN CALL VERDICT`: records a person's verdict on whether an interrupted call took effect (P4).
// With `all` in place of the call, one verdict decides all open calls of the run's tree.
// If no verdict is given, the command looks for the call's effect. If no call is given, it lists the calls with an unknown outcome.

import type { CadreClient } from "../../api/client/client.ts";
import type { ApprovalView, OutcomeBody } from "../../api/client/types.ts";
import { CadreError } from "../../errors.ts";
import { plural } from "../../projections/words/format.ts";
import { withClient } from "../connection/connect.ts";
import { type Invocation, report, usageError } from "../invocation.ts";
import { loadCards, reportCards } from "../lookup/approvals.ts";
import { probeLines } from "../view/approval.ts";
import { reportRecorded } from "../view/drivers.ts";

/** Means every call of the tree, in place of a call's id. */
const ALL = "all";

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
  if (word === undefined && callId === ALL)
    throw usageError("Give a verdict for all calls: happened, run_again or fail.");
  if (word === undefined) return probe(invocation, runId, callId);
  const said = { verdict: verdictOf(word), ...options };
  return withClient(invocation, async (client) => {
    const { id, body } =
      callId === ALL ? await wholeTree(client, runId, said) : { id: runId, body: { callId, ...said } };
    const { alreadyDecided } = await client.post("/api/runs/{id}/outcome", { id, body });
    const value = { runId: id, ...body, alreadyDecided };
    const text =
      callId === ALL ? `Recorded for ${plural(1 + (body.alsoFor?.length ?? 0), "call")}` : "Recorded";
    return reportRecorded(invocation, client, { value, text, starts });
  });
}

/** One answer for every open call with an unknown outcome in the run's tree. */
async function wholeTree(
  client: CadreClient,
  runId: string,
  said: Omit<OutcomeBody, "callId" | "alsoFor">,
): Promise<{ id: string; body: OutcomeBody }> {
  const { id, rootRunId } = await client.get("/api/runs/{id}", { id: runId });
  const { approvals } = await client.get("/api/approvals");
  const [first, ...others] = approvals.filter(
    (item) => item.kind === "outcome" && item.rootRunId === rootRunId,
  );
  if (!first)
    throw new CadreError(
      "CONFLICT",
      `No call in the tree of run ${id} has an unknown outcome. Nothing was decided.`,
    );
  return {
    id: first.runId,
    body: {
      callId: first.callId!,
      ...said,
      ...(others.length > 0 ? { alsoFor: others.map((item) => item.id) } : {}),
    },
  };
}

/** Lists the calls with an unknown outcome. A run's id limits the list to that run. */
async function list(invocation: Invocation, runId: string | undefined): Promise<number> {
  const cards = await withClient(invocation, async (client) => {
    if (runId !== undefined) await client.get("/api/runs/{id}", { id: runId });
    const open = (await client.get("/api/approvals")).approvals;
    const isListed = (item: ApprovalView): boolean =>
      item.kind === "outcome" && item.runId.startsWith(runId ?? "");
    return loadCards(client, open.filter(isListed), invocation.screen);
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
