// `cadre show RUN`: shows the status of a run, what happened in it, and the tree below it.

import type { CadreClient } from "../../api/client/client.ts";
import type { RunDetail } from "../../api/client/types.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { clockTime } from "../../projections/words/format.ts";
import type { CommandLine } from "../command-line.ts";
import { withClient } from "../connection/connect.ts";
import { EXIT, type Invocation } from "../invocation.ts";
import { loadCards } from "../lookup/approval-cards.ts";
import { cardLines } from "../view/approval.ts";
import { runPageLines } from "../view/run-page.ts";
import { shownStatuses } from "../view/run-status.ts";
import { endsLaterText, resumesLaterText, retryLines } from "../view/summary.ts";
import { fitLines } from "../view/text/fit.ts";
import { jsonLine, plain, plainLine } from "../view/text/plain.ts";

export interface ShowOptions {
  events?: boolean;
}

export async function show(
  { folder, io, json, screen, commandLine }: Invocation,
  id: string,
  { events: all }: ShowOptions,
): Promise<number> {
  const found = await withClient({ folder, io }, (client) => read(client, id));
  const { run, tree, events, cards, statuses } = found;
  if (all) for (const event of events) screen.line(json ? jsonLine(event) : eventLine(event));
  else if (json) screen.line(jsonLine({ ...run, tree, approvals: cards.map(({ item }) => item) }));
  else {
    const status = statuses.get(run.id);
    const next = [
      ...(status === "undriven" ? [resumesLaterText(found.health, commandLine)] : []),
      ...(status === "cancel_pending" ? [endsLaterText(run.id, found.health, commandLine)] : []),
      ...(run.waitingOn?.kind === "quarantine" ? [asideWords(run, commandLine)] : []),
      ...retryLines(run, commandLine),
    ];
    for (const line of runPageLines(found, { screen, commandLine, now: Date.now() })) screen.line(line);
    for (const line of [...fitLines(next, screen), ...cardLines(cards, commandLine, screen)])
      screen.line(line);
  }
  return EXIT.done;
}

const asideWords = ({ id, waitingOn }: RunDetail, commandLine: CommandLine): string =>
  `Quarantined: ${plainLine(waitingOn?.detail ?? "it could not be driven.")} Why: ${commandLine(`why ${id}`)}`;

async function read(client: CadreClient, id: string) {
  const run = await client.get("/api/runs/{id}", { id });
  const [tree, events, open, health] = await Promise.all([
    client.get("/api/runs/{id}/tree", { id: run.id }),
    client.events(run.id),
    run.endedAt === undefined
      ? client.get("/api/approvals", { run: run.id }).then(({ approvals }) => approvals)
      : [],
    client.get("/api/health"),
  ]);
  const cards = await loadCards(client, open);
  return { run, tree, events, cards, health, statuses: shownStatuses(tree, health, open) };
}

function eventLine({ seq, ts, type, payload }: JournalEvent): string {
  return plain(`${String(seq).padStart(4)}  ${clockTime(ts)}  ${type}  ${JSON.stringify(payload)}`);
}
