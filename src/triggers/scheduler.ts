// Starts the runs of schedules: one run per tick, over any number of workers and restarts.
//  TR1  A worker writes an entry for a tick, with the whole request, before it starts the run. Every worker that finds the entry starts the same
//       request under the same idempotency key, so the store admits it once, whoever was first and whoever died.
//  TR4  A tick is dealt with once, also if the clock jumps back: its entry says that it was.
//  TR5  A schedule that fails does not hold up the others.

import { createHash } from "node:crypto";
import type { Clock } from "../clock.ts";
import { lastTick, nextTick, type Schedule, ticksBetween } from "../config/schedule.ts";
import { messageOf } from "../errors.ts";
import type { RunId } from "../ids.ts";
import type { RunRequest } from "../loop/commands/admit.ts";
import { type Repeating, repeat } from "../repeat.ts";
import type { Store } from "../stores/store.ts";
import type { TriggerEntry, TriggerState } from "../stores/triggers.ts";
import { isRefusal } from "./refusals.ts";

export interface NamedSchedule extends Schedule {
  name: string;
  /** The file that contains the schedule. */
  file: string;
}

export interface SchedulerParts {
  store: { triggers: Store["triggers"]; runs: Pick<Store["runs"], "get"> };
  clock: Clock;
  /** The schedules as the files define them now. */
  schedules(): Promise<readonly NamedSchedule[]>;
  admit(request: RunRequest, idempotencyKey: string): Promise<{ runId: RunId }>;
  /** Added to the names in the store, if several projects share the store. */
  scope: string;
  onProblem(problem: { message: string; error: unknown }): void;
}

export interface ScheduleState {
  schedule: NamedSchedule;
  /** Undefined if no worker has seen the schedule yet. */
  state: TriggerState | undefined;
  /** The next tick. Undefined if the schedule is paused or never comes again. */
  next: number | undefined;
  entries: TriggerEntry[];
}

export interface Scheduler {
  /** Deals with all ticks up to now, and starts the runs whose time has come. */
  round(): Promise<void>;
  list(entries: number): Promise<ScheduleState[]>;
  /** Pauses or resumes a schedule. Returns false if there is no such schedule. */
  pause(name: string, by: string | undefined): Promise<boolean>;
  /** Starts a run now, whatever the schedule says. Returns undefined if there is no such schedule. */
  runNow(name: string, by: string, idempotencyKey: string): Promise<{ runId: RunId } | undefined>;
}

/** A tick that is older is late: Cadre was not running when it came. */
const LATE_MS = 60_000;
const DAY = 24 * 3_600_000;
/** Number of ticks of one schedule that one round deals with. The next round continues. */
const MOST_TICKS = 100;
/** Number of earlier runs that can hold up the next one. */
const MOST_ACTIVE = 20;

export function createScheduler(parts: SchedulerParts): Scheduler {
  const { store, clock, schedules, admit, scope, onProblem } = parts;
  const { triggers } = store;
  const stateName = (name: string): string => `schedule/${name}${scope}`;
  const readStates = async (): Promise<ReadonlyMap<string, TriggerState>> =>
    new Map((await triggers.states()).map((state) => [state.name, state]));
  const isActive = async (runId: RunId): Promise<boolean> => {
    const row = await store.runs.get(runId);
    return row !== undefined && row.endedAt === undefined;
  };

  /** The next tick of each schedule, so that a round that finds nothing to do costs little. */
  const nextTicks = new Map<string, { of: string; next: number | undefined }>();
  function nextAfter({ cron, timezone }: NamedSchedule, { name, reached }: TriggerState): number | undefined {
    const of = `${reached} ${timezone} ${cron}`;
    const known = nextTicks.get(name);
    if (known?.of === of) return known.next;
    const next = nextTick({ cron, timezone }, reached);
    nextTicks.set(name, { of, next });
    return next;
  }

  async function serve(schedule: NamedSchedule, states: ReadonlyMap<string, TriggerState>): Promise<void> {
    const name = stateName(schedule.name);
    const state = await currentState(name, states.get(name));
    const next = nextAfter(schedule, state);
    if (next !== undefined && next <= clock.now()) {
      if (state.pausedAt === undefined) await claimTicks(schedule, state);
      else
        await triggers.advance(name, state.reached, lastTick(schedule, state.reached, clock.now()) ?? next);
    }
    await startPending(schedule, name);
  }

  /** TR4: after a jump ahead and back, the state would be far in the future. It is reset, and the entries keep ticks from starting twice. */
  async function currentState(name: string, known: TriggerState | undefined): Promise<TriggerState> {
    const now = clock.now();
    const state = known ?? (await triggers.begin(name, now));
    if (state.reached <= now + DAY) return state;
    await triggers.advance(name, state.reached, now);
    return triggers.begin(name, now);
  }

  async function claimTicks(schedule: NamedSchedule, { name, reached }: TriggerState): Promise<void> {
    const now = clock.now();
    const { catchUp } = schedule;
    if (catchUp === "all") {
      const ticks = ticksBetween(schedule, reached, now, MOST_TICKS);
      for (const tick of ticks) await claim(schedule, name, tick);
      await triggers.advance(name, reached, ticks.at(-1)!);
      return;
    }
    const last = lastTick(schedule, reached, now)!;
    const isStarted = catchUp === "last" || now - last <= LATE_MS;
    const firstMissed = nextTick(schedule, reached)!;
    if (firstMissed < last || !isStarted)
      await triggers.claim(missedEntry(name, firstMissed, isStarted ? last - 1 : last));
    if (isStarted) await claim(schedule, name, last);
    await triggers.advance(name, reached, last);
  }

  async function claim(schedule: NamedSchedule, name: string, tick: number): Promise<void> {
    const id = new Date(tick).toISOString();
    const startAt = tick + jitterOf(schedule, id);
    const payload = JSON.stringify(requestOf(schedule, `the schedule ${schedule.name}, for ${id}`));
    await triggers.claim({
      ...{ trigger: name, id, at: tick, startAt, outcome: "pending", runId: undefined },
      ...{ detail: "", payload },
    });
  }

  async function startPending({ overlap }: NamedSchedule, name: string): Promise<void> {
    for (const entry of await triggers.pending(name, clock.now(), MOST_TICKS)) {
      const active = overlap === "parallel" ? undefined : await activeRun(name);
      if (active !== undefined && overlap === "queue") return;
      if (active === undefined) await start(entry);
      else
        await triggers.settle(name, entry.id, {
          outcome: "skipped",
          detail: `run ${active} was still active`,
        });
    }
  }

  async function activeRun(name: string): Promise<RunId | undefined> {
    for (const { runId } of await triggers.entries(name, MOST_ACTIVE))
      if (runId !== undefined && (await isActive(runId))) return runId;
    return undefined;
  }

  /** TR1: the request of the entry is started, not the schedule as it is now. */
  async function start({ trigger, id, payload }: TriggerEntry): Promise<{ runId: RunId }> {
    try {
      const { runId } = await admit(JSON.parse(payload) as RunRequest, `${trigger}/${id}`);
      await triggers.settle(trigger, id, { outcome: "started", detail: "", runId });
      return { runId };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await triggers.settle(trigger, id, { outcome: "failed", detail: messageOf(error) });
      onProblem({ message: `${trigger} could not start its run.`, error });
      return Promise.reject(error);
    }
  }

  const find = async (name: string): Promise<NamedSchedule | undefined> =>
    (await schedules()).find((each) => each.name === name);

  return {
    async round() {
      const found = await schedules();
      if (found.length === 0) return;
      const states = await readStates();
      const served = await Promise.allSettled(found.map((schedule) => serve(schedule, states)));
      const failed = served.find((each) => each.status === "rejected" && !isRefusal(each.reason)) as
        | PromiseRejectedResult
        | undefined;
      if (failed) throw failed.reason;
    },
    async list(most) {
      const states = await readStates();
      return Promise.all(
        (await schedules()).map(async (schedule) => {
          const name = stateName(schedule.name);
          const state = states.get(name);
          const next =
            state?.pausedAt === undefined
              ? nextTick(schedule, Math.max(state?.reached ?? 0, clock.now()))
              : undefined;
          return { schedule, state, next, entries: await triggers.entries(name, most) };
        }),
      );
    },
    async pause(name, by) {
      if (!(await find(name))) return false;
      await triggers.begin(stateName(name), clock.now());
      return triggers.pause(stateName(name), by);
    },
    async runNow(name, by, key) {
      const schedule = await find(name);
      if (!schedule) return undefined;
      const at = clock.now();
      const { entry } = await triggers.claim({
        ...{ trigger: stateName(name), id: `now/${key}`, at, startAt: at, outcome: "pending" },
        ...{ runId: undefined, detail: "" },
        payload: JSON.stringify(requestOf(schedule, `${by}, who ran the schedule ${name} now`)),
      });
      return entry.runId === undefined ? start(entry) : { runId: entry.runId };
    },
  };
}

const requestOf = ({ agent, task, input }: NamedSchedule, reason: string): RunRequest => ({
  agent,
  task,
  ...(input === undefined ? {} : { input }),
  origin: { trigger: "schedule", reason },
});

const missedEntry = (trigger: string, from: number, to: number): TriggerEntry => ({
  trigger,
  id: `missed/${new Date(from).toISOString()}`,
  at: from,
  startAt: from,
  outcome: "missed",
  runId: undefined,
  detail: `no worker was running from ${new Date(from).toISOString()} to ${new Date(to).toISOString()}`,
  payload: "{}",
});

/** The same for every worker, and different for each tick. */
function jitterOf({ name, jitter = 0 }: NamedSchedule, id: string): number {
  const number = createHash("sha256").update(`${name} ${id}`).digest().readUInt32BE();
  return Math.floor((number / 2 ** 32) * jitter);
}

/** Workers look this often, so that a changed file or a clock that jumped has an effect soon. */
const EVERY_MS = 1_000;
const LONGEST_RETRY_MS = 15_000;

/** Serves schedules and hooks until it is stopped. */
export function startTriggers(
  triggers: readonly { round(): Promise<void> }[],
  onError: (error: unknown) => void,
): Repeating<void> {
  return repeat({
    async work() {
      const rounds = await Promise.allSettled(triggers.map((trigger) => trigger.round()));
      const failed = rounds.find((each) => each.status === "rejected");
      if (failed) throw failed.reason;
      return { result: undefined, nextIn: EVERY_MS };
    },
    retryIn: (failures) => Math.min(LONGEST_RETRY_MS, EVERY_MS * 2 ** failures),
    onError,
  });
}
