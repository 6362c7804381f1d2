// When a schedule starts a run: a cron expression in a time zone, and what happens to ticks that meet an active run or a stopped Cadre.
//  TR3  A tick in an hour that the clocks skip comes right after the gap. An hour that comes twice has one tick, unless the schedule repeats
//       within the day anyway: then every real hour has its ticks.

import { Cron } from "croner";
import { z } from "zod";
import { Duration } from "./duration.ts";
import { AgentName } from "./names.ts";

const TimeZone = z.string().refine(isTimeZone, {
  error: "must be a time zone such as Europe/Berlin or UTC",
});

const CronText = z
  .string()
  .trim()
  .superRefine((text, context) => {
    const message = cronProblem(text);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  })
  .describe("Minute, hour, day of the month, month and day of the week: `0 7 * * 1-5`; or `@daily`");

const fields = {
  cron: CronText,
  timezone: TimeZone.default("UTC").describe("The time zone of `cron` (UTC)"),
  task: z.string().trim().min(1).describe("The task of each run"),
  input: z.unknown().optional().describe("The input of each run"),
  overlap: z
    .enum(["skip", "queue", "parallel"])
    .default("skip")
    .describe("If the last run is still active: no run, a run after it, or a run beside it (skip)"),
  catchUp: z
    .enum(["none", "last", "all"])
    .default("last")
    .describe("Which ticks start late, after Cadre was not running (last)"),
  jitter: Duration.pipe(z.number().max(3_600_000, "must be at most 1h"))
    .optional()
    .describe("Each run starts up to this much later, by an amount that differs from tick to tick"),
};

/** A schedule of an agent's own file. */
export const AgentSchedule = z.strictObject(fields);

export const Schedule = z.strictObject({
  agent: AgentName.describe("The agent that runs"),
  ...fields,
});
export type Schedule = z.output<typeof Schedule>;

type Times = Pick<Schedule, "cron" | "timezone">;

/** The first tick after a time. Undefined if there is none. */
export const nextTick = (times: Times, after: number): number | undefined =>
  cronOf(times).nextRun(new Date(after))?.getTime();

/** The ticks after `after` and up to `until`, oldest first, at most `most` of them. */
export function ticksBetween(times: Times, after: number, until: number, most: number): number[] {
  const cron = cronOf(times);
  const ticks: number[] = [];
  for (let at = after; ticks.length < most; ) {
    const next = cron.nextRun(new Date(at))?.getTime();
    if (next === undefined || next > until) break;
    ticks.push(next);
    at = next;
  }
  return ticks;
}

const HOUR = 3_600_000;
/** Periods to search backwards. A tick that is rarer than one period is found in the next one, so no search visits many ticks. */
const PERIODS = [HOUR, 24 * HOUR, 32 * 24 * HOUR, 370 * 24 * HOUR, Number.POSITIVE_INFINITY];

/** The last tick after `after` and up to `until`, found without visiting all ticks in between. */
export function lastTick(times: Times, after: number, until: number): number | undefined {
  for (const period of PERIODS) {
    const from = Math.max(after, until - period);
    const last = ticksBetween(times, from, until, 5_000).at(-1);
    if (last !== undefined || from === after) return last;
  }
  return undefined;
}

function cronOf({ cron, timezone }: Times): Cron {
  return new Cron(cron, { timezone, mode: cron.startsWith("@") ? "auto" : "5-part", paused: true });
}

function cronProblem(text: string): string | undefined {
  try {
    const next = nextTick({ cron: text, timezone: "UTC" }, Date.UTC(2024, 0));
    return next === undefined ? "never comes: there is no such date" : undefined;
  } catch {
    return "must be five fields (minute, hour, day of the month, month, day of the week) such as `0 7 * * 1-5`, or `@daily`";
  }
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
