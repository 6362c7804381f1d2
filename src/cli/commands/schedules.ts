// `cadre schedules`: lists the schedules with their next and latest ticks. Its subcommands pause, resume and run a schedule.

import type { ScheduleView } from "../../api/routes/schedules.ts";
import { ago } from "../../projections/words/format.ts";
import { withClient } from "../connection/connect.ts";
import { EXIT, type Invocation, report, tableWidth } from "../invocation.ts";
import { plainLine } from "../view/text/plain.ts";
import { table } from "../view/text/table.ts";

/** These commands write to the store, so they create it if there is none yet. */
const CREATES = { createsStore: true };

const NONE =
  "There are no schedules: write them under `schedules` in cadre.yaml or under `schedule` in an agent's file, in a trusted folder.";

export async function list(invocation: Invocation): Promise<number> {
  const { schedules } = await withClient(invocation, (client) => client.get("/api/schedules"));
  const now = Date.now();
  const lines = schedules.flatMap((schedule) => [
    headOf(schedule),
    ...table(
      schedule.ticks.map(({ at, outcome, runId, detail }) => [
        `  ${ago(at, now)}`,
        outcome,
        runId ?? "",
        plainLine(detail),
      ]),
      tableWidth(invocation),
    ),
  ]);
  return report(invocation, { schedules }, schedules.length === 0 ? [NONE] : lines);
}

function headOf({ name, agent, cron, timezone, next, paused }: ScheduleView): string {
  const when = paused
    ? `paused by ${paused.by}`
    : next === undefined
      ? "no further tick"
      : `next at ${inZone(next, timezone)}`;
  return plainLine(`${name}: ${agent} at ${cron} (${timezone}), ${when}`);
}

/** The time as the clocks of the zone show it, such as `2026-11-20 07:00`. */
const inZone = (at: number, timeZone: string): string =>
  new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "short" }).format(at);

export async function pause(invocation: Invocation, name: string): Promise<number> {
  await withClient(invocation, (client) => client.post("/api/schedules/{name}/pause", { name }), CREATES);
  return report(invocation, { name, paused: true }, [
    plainLine(`${name} is paused: its ticks start no runs until \`cadre schedules resume ${name}\`.`),
  ]);
}

export async function resume(invocation: Invocation, name: string): Promise<number> {
  await withClient(invocation, (client) => client.post("/api/schedules/{name}/resume", { name }), CREATES);
  return report(invocation, { name, paused: false }, [plainLine(`${name} continues with its next tick.`)]);
}

export async function run(invocation: Invocation, name: string): Promise<number> {
  const { runId } = await withClient(
    invocation,
    (client) => client.post("/api/schedules/{name}/run", { name }),
    CREATES,
  );
  report(invocation, { name, runId }, [plainLine(`${name} has started run ${runId}.`)]);
  return EXIT.done;
}
