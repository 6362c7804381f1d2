// `cadre show RUN`: how a run stands or ended, and what happened in it.

import type { CadreClient } from "../../api/client.ts";
import type { RunDetail } from "../../api/schema.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { fold } from "../../projections/projection.ts";
import { type TimelineEntry, timelineProjection } from "../../projections/timeline.ts";
import { withClient } from "../connect.ts";
import { EXIT, type Invocation } from "../io.ts";
import { standingOf } from "../standing.ts";
import { cardLines } from "../view/approval.ts";
import { clockTime } from "../view/format.ts";
import { modelLabel, toned } from "../view/live.ts";
import { jsonLine, plain, plainLine } from "../view/plain.ts";
import type { Screen } from "../view/screen.ts";
import { goesOnLater, summaryLines, tryAgain } from "../view/summary.ts";

export interface ShowOptions {
  events?: boolean;
}

export async function show(
  invocation: Invocation,
  id: string,
  { events: all }: ShowOptions,
): Promise<number> {
  const { folder, io, json, screen, at } = invocation;
  const { run, events, approvals, health } = await withClient({ folder, env: io.env }, (client) =>
    read(client, id),
  );
  if (all) for (const event of events) screen.line(json ? jsonLine(event) : eventLine(event));
  else if (json) screen.line(jsonLine({ ...run, approvals }));
  else {
    for (const line of headLines(run, events, screen)) screen.line(line);
    for (const entry of fold(timelineProjection, events).entries) screen.line(timelineLine(entry, screen));
    const standing = standingOf(run, health, approvals);
    for (const line of summaryLines(run, screen, "", standing)) screen.line(line);
    if (standing === "left") screen.line(goesOnLater(at));
    for (const line of tryAgain(run, at)) screen.line(line);
    for (const line of cardLines(approvals, at, screen.paint)) screen.line(line);
  }
  return EXIT.done;
}

async function read(client: CadreClient, id: string) {
  const run = await client.run(id);
  const [events, approvals, health] = await Promise.all([
    client.events(run.id),
    run.endedAt === undefined ? client.approvals({ runId: run.id }) : [],
    client.health(),
  ]);
  return { run, events, approvals, health };
}

function headLines(run: RunDetail, events: readonly JournalEvent[], { paint }: Screen): string[] {
  const models = events.flatMap((event) =>
    event.type === "MODEL_CALL_STARTED" ? [event.payload.model] : [],
  );
  const [first] = events;
  const before =
    first?.type === "RUN_STARTED" && first.payload.continues
      ? [paint("dim", `continues run ${first.payload.continues.runId}`)]
      : [];
  const started = new Date(run.createdAt).toLocaleString("sv-SE");
  return [
    `${paint("bold", plainLine(run.agent))} ${paint("dim", `· run ${run.id} · ${started}`)}`,
    ...[...new Set(models)].map((model) => paint("dim", `model ${modelLabel(model)}`)),
    ...before,
    plain(run.task),
    "",
  ];
}

function timelineLine(entry: TimelineEntry, { paint }: Screen): string {
  return `${paint("dim", clockTime(entry.ts))}  ${toned(entry, paint)}`;
}

function eventLine({ seq, ts, type, payload }: JournalEvent): string {
  return plain(`${String(seq).padStart(4)}  ${clockTime(ts)}  ${type}  ${JSON.stringify(payload)}`);
}
