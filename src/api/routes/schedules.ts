// Lists schedules with their latest ticks, pauses and resumes them, and starts their runs ahead of time.

import { z } from "zod";
import { CadreError } from "../../errors.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { TRIGGER_OUTCOMES } from "../../stores/triggers.ts";
import type { ScheduleState } from "../../triggers/scheduler.ts";
import type { RouteParts } from "../parts.ts";
import { route } from "./route.ts";
import { namedObject } from "./schemas.ts";

/** A tick of a schedule, or a delivery to a hook, and what became of it. */
export const TriggerEntryView = namedObject("TriggerEntry", {
  id: z.string(),
  at: z.number(),
  outcome: z.enum(TRIGGER_OUTCOMES),
  runId: z.string().optional(),
  /** The reason for the outcome. Empty if the run simply started. */
  detail: z.string(),
});

export const ScheduleView = namedObject("Schedule", {
  name: z.string(),
  /** The file that contains the schedule. */
  file: z.string(),
  agent: z.string(),
  task: z.string(),
  cron: z.string(),
  timezone: z.string(),
  overlap: z.enum(["skip", "queue", "parallel"]),
  catchUp: z.enum(["none", "last", "all"]),
  /** The next tick. Absent if the schedule is paused. */
  next: z.number().optional(),
  /** Set while the schedule is paused. */
  paused: z.object({ at: z.number(), by: z.string() }).optional(),
  /** The latest ticks, newest first. */
  ticks: z.array(TriggerEntryView),
});
export type ScheduleView = z.infer<typeof ScheduleView>;

export const ScheduleList = z.object({ schedules: z.array(ScheduleView) });

const LATEST = 10;

export function scheduleRoutes({ schedules, by, people }: RouteParts) {
  const changed = (name: string, isFound: boolean): void => {
    if (!isFound) throw unknownSchedule(name);
  };
  return [
    route.get(
      "/api/schedules",
      { summary: "Schedules with their next and latest ticks", answer: ScheduleList, role: "admin" },
      async () => ({ schedules: (await schedules.list(LATEST)).map(viewOf) }),
    ),
    route.post(
      "/api/schedules/{name}/pause",
      { summary: "Pause a schedule: its ticks start no runs", role: "admin", allowSlashes: true },
      async ({ params: { name } }, c) => changed(name, await schedules.pause(name, by(c.req.raw))),
    ),
    route.post(
      "/api/schedules/{name}/resume",
      { summary: "Resume a schedule with its next tick", role: "admin", allowSlashes: true },
      async ({ params: { name } }) => changed(name, await schedules.pause(name, undefined)),
    ),
    route.post(
      "/api/schedules/{name}/run",
      {
        summary: "Start a run of a schedule now",
        answer: z.object({ runId: z.string() }),
        status: 201,
        idempotent: true,
        role: "admin",
        allowSlashes: true,
      },
      async ({ params: { name }, idempotencyKey = people.ids.nonce() }, c) => {
        const started = await schedules.runNow(name, by(c.req.raw), idempotencyKey);
        if (!started) throw unknownSchedule(name);
        return started;
      },
    ),
  ];
}

function viewOf({ schedule, state, next, entries }: ScheduleState): ScheduleView {
  const { name, file, agent, task, cron, timezone, overlap, catchUp } = schedule;
  const paused = state?.pausedAt === undefined ? undefined : { at: state.pausedAt, by: state.pausedBy ?? "" };
  const ticks = entries.map(({ id, at, outcome, runId, detail }) => ({
    ...{ id, at, outcome, detail },
    ...omitUndefined({ runId }),
  }));
  return {
    ...{ name, file, agent, task, cron, timezone, overlap, catchUp, ticks },
    ...omitUndefined({ next, paused }),
  };
}

const unknownSchedule = (name: string): CadreError =>
  new CadreError(
    "NOT_FOUND",
    `There is no schedule ${name}: \`cadre schedules\` lists all schedules. Nothing was changed.`,
  );
