// Tests schedules on a real store. Workers die between any two calls of the store, and the clock jumps.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeClock, fakeClock } from "../clock.ts";
import { Schedule, ticksBetween } from "../config/schedule.ts";
import { CadreError } from "../errors.ts";
import type { RunRequest } from "../loop/commands/admit.ts";
import { acquireRun, runEnded, startPayload } from "../stores/contract/kit.contract.ts";
import { openSqliteStore } from "../stores/sqlite/store.ts";
import type { Store } from "../stores/store.ts";
import { createScheduler, type NamedSchedule, type SchedulerParts } from "./scheduler.ts";

const START = Date.parse("2026-01-01T00:00:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let clock: FakeClock;
let store: Store;
let starts: { key: string; request: RunRequest; at: number; runId: string }[];
let problems: string[];
let count: number;

beforeEach(() => {
  clock = fakeClock(START);
  store = openSqliteStore({ path: ":memory:", clock });
  [starts, problems, count] = [[], [], 0];
});
afterEach(() => store.close());

const schedule = (over: object = {}): NamedSchedule => ({
  ...Schedule.parse({ agent: "a", task: "Look after it", cron: "0 * * * *", ...over }),
  name: "hourly",
  file: "cadre.yaml",
});

async function admit(request: RunRequest, key: string, to = store): Promise<{ runId: string }> {
  const runId = `r${++count}`;
  const start = startPayload({ task: request.task, rootRunId: runId });
  const started = await to.runs.start(runId, start, { key, body: JSON.stringify(request) });
  if (!started.existed) starts.push({ key, request, at: clock.now(), runId: started.runId });
  return started;
}

const worker = (schedules: readonly NamedSchedule[], over: Partial<SchedulerParts> = {}) =>
  createScheduler({
    ...{ store, clock, admit, scope: "" },
    schedules: async () => schedules,
    onProblem: ({ message }) => problems.push(message),
    ...over,
  });

const end = async (runId: string) => (await acquireRun(store, runId)).append([runEnded()]);
const outcomes = async () =>
  (await store.triggers.entries("schedule/hourly", 100)).map(({ id, outcome }) => [id, outcome]).reverse();

describe("one schedule", () => {
  test("[32.1] [TR1] a tick starts one run, with its time as the reason", async () => {
    const one = worker([schedule()]);
    await one.round();
    expect(starts, "the time before the schedule existed").toEqual([]);
    clock.advance(HOUR + 1);
    await one.round();
    await one.round();
    expect(starts).toHaveLength(1);
    expect(starts[0]).toMatchObject({
      key: "schedule/hourly/2026-01-01T01:00:00.000Z",
      request: {
        agent: "a",
        task: "Look after it",
        origin: { trigger: "schedule", reason: "the schedule hourly, for 2026-01-01T01:00:00.000Z" },
      },
    });
  });

  test("[32.1] [TR1] workers with different files start a tick once, with the request of the first", async () => {
    const [one, two] = [worker([schedule()]), worker([schedule({ task: "Another task" })])];
    await one.round();
    clock.advance(HOUR);
    await Promise.all([one.round(), two.round(), one.round(), two.round()]);
    expect(starts).toHaveLength(1);
    expect(problems).toEqual([]);
  });

  test.each([
    ["skip", ["started", "skipped", "started"], 2],
    ["queue", ["started", "started", "started"], 3],
    ["parallel", ["started", "started", "started"], 3],
  ] as const)("[32.1] overlap %s: a tick comes while the last run is active", async (overlap, ends, runs) => {
    const one = worker([schedule({ overlap })]);
    await one.round();
    clock.advance(HOUR);
    await one.round();
    clock.advance(HOUR);
    await one.round();
    expect(starts).toHaveLength(overlap === "parallel" ? 2 : 1);
    if (overlap === "queue") expect((await outcomes())[1]?.[1]).toBe("pending");
    await end("r1");
    await one.round();
    if (overlap === "queue") await end(starts[1]!.runId);
    clock.advance(HOUR);
    await one.round();
    expect((await outcomes()).map(([, outcome]) => outcome)).toEqual(ends);
    expect(starts).toHaveLength(runs);
  });

  test.each([
    ["none", 0, "missed"],
    ["last", 1, "started"],
    ["all", 5, "started"],
  ] as const)("[32.1] catch-up %s: Cadre was not running for five ticks", async (catchUp, runs, outcome) => {
    const one = worker([schedule({ catchUp, overlap: "parallel" })]);
    await one.round();
    clock.advance(5 * HOUR + 30 * MINUTE);
    await worker([schedule({ catchUp, overlap: "parallel" })]).round();
    expect(starts).toHaveLength(runs);
    expect((await outcomes()).at(-1)?.[1]).toBe(outcome);
    const missed = (await store.triggers.entries("schedule/hourly", 100)).find(
      (each) => each.outcome === "missed",
    );
    if (catchUp !== "all") expect(missed?.detail).toContain("no worker was running from 2026-01-01T01:00");
    clock.advance(30 * MINUTE);
    await one.round();
    expect(starts.at(-1)?.key, "the next tick comes on time").toContain("T06:00");
  });

  test("[32.1] jitter delays each run by another amount, up to its limit", async () => {
    const one = worker([schedule({ jitter: "10m", overlap: "parallel" })]);
    await one.round();
    for (let minute = 0; minute < 5 * 60 + 15; minute++) {
      clock.advance(MINUTE);
      await one.round();
    }
    const delays = starts.map(({ at, key }) => at - Date.parse(key.split("hourly/")[1]!));
    expect(delays).toHaveLength(5);
    expect(Math.max(...delays)).toBeLessThanOrEqual(11 * MINUTE);
    expect(new Set(delays).size).toBeGreaterThan(1);
  });

  test("[32.1] a paused schedule starts nothing, also not afterwards for the time of the pause; run now still works", async () => {
    const one = worker([schedule()]);
    await one.round();
    expect(await one.pause("hourly", "ann")).toBe(true);
    expect(await one.pause("unknown", "ann")).toBe(false);
    clock.advance(3 * HOUR);
    await one.round();
    expect(starts).toEqual([]);
    expect(await one.list(5)).toMatchObject([{ state: { pausedBy: "ann" }, next: undefined }]);
    const { runId } = (await one.runNow("hourly", "ann", "k1"))!;
    expect(await one.runNow("hourly", "ann", "k1"), "the same request again").toEqual({ runId });
    expect(await one.runNow("unknown", "ann", "k1")).toBeUndefined();
    await end(runId);
    await one.pause("hourly", undefined);
    await one.round();
    expect(starts).toHaveLength(1);
    clock.advance(HOUR);
    await one.round();
    expect(starts).toHaveLength(2);
  });

  test("[32.1] [TR5] a schedule whose agent is missing is reported once a tick, and the others go on", async () => {
    const other = { ...schedule(), name: "other", agent: "b" };
    const one = worker([schedule(), other], {
      async admit(request, key) {
        if (request.agent === "a") throw new CadreError("AGENT_NOT_FOUND", "There is no agent `a`.");
        return admit(request, key);
      },
    });
    await one.round();
    clock.advance(HOUR);
    await one.round();
    await one.round();
    expect(problems).toEqual(["schedule/hourly could not start its run."]);
    expect(await outcomes()).toEqual([["2026-01-01T01:00:00.000Z", "failed"]]);
    expect(starts).toHaveLength(1);
  });
});

/** Dies before a random call of the store, and now and then right after it. */
function mortal(random: () => number): Store {
  let dead = false;
  const guard = <T extends object>(group: T): T =>
    new Proxy(group, {
      get(target, name) {
        const value = Reflect.get(target, name) as (...given: unknown[]) => Promise<unknown>;
        return async (...given: unknown[]) => {
          dead ||= random() < 0.03;
          if (dead) throw new Error("The process is dead.");
          const answer = await value.apply(target, given);
          dead ||= random() < 0.03;
          if (dead) throw new Error("The process is dead.");
          return answer;
        };
      },
    });
  return { ...store, triggers: guard(store.triggers), runs: guard(store.runs) };
}

function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test("[32.1] [TR1] [TR4] in 400 days, in three time zones, with workers that die and a clock that jumps, each tick starts one run", async () => {
  const random = randomNumbers(32);
  const schedules = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe"].map((timezone) => ({
    ...schedule({ cron: "30 2,14 * * *", timezone, overlap: "parallel", catchUp: "all" }),
    name: timezone.replace("/", "-"),
  }));
  const runs = new Map<string, string>();
  const recording = (to: Store) =>
    worker(schedules, {
      store: to,
      async admit(request, key) {
        const { runId } = await admit(request, key, to);
        runs.set(key, runId);
        return { runId };
      },
    });
  const fresh = () => recording(mortal(random));
  const workers = [fresh(), fresh()];
  const survive = async (index: number): Promise<void> => {
    try {
      await workers[index]!.round();
    } catch {
      workers[index] = fresh();
    }
  };
  await worker(schedules).round();
  const until = START + 400 * DAY;
  let deaths = 0;
  while (clock.now() < until) {
    const before = [...workers];
    await Promise.all([0, 1].map(survive));
    deaths += workers.filter((each, index) => each !== before[index]).length;
    // The clock moves on by hours. Now and then it jumps ahead by a day, or back by up to three days.
    const draw = random();
    const jump = draw < 0.05 ? DAY : draw < 0.09 ? -3 * DAY * random() : 11 * HOUR * random();
    clock.set(Math.max(START, clock.now() + Math.round(jump)));
  }
  clock.set(until);
  for (let i = 0; i < 3; i++) await recording(store).round();
  const expected = schedules.flatMap((each) =>
    ticksBetween(each, START, until, 10_000).map(
      (tick) => `schedule/${each.name}/${new Date(tick).toISOString()}`,
    ),
  );
  // A jump ahead near the end may have gone past it.
  const keys = [...runs.keys()].filter((key) => Date.parse(key.split("/")[2]!) <= until);
  expect(deaths).toBeGreaterThan(50);
  expect(keys.toSorted()).toEqual(expected.toSorted());
  expect(await store.runs.count({}), "no run beside those of the ticks").toBe(new Set(runs.values()).size);
  expect(new Set(runs.values()).size).toBe(runs.size);
}, 120_000);
