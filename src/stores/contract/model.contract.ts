// Random histories of two runs. A small model of the rules J1 to J6 predicts each answer of the store.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Refusal } from "../store.ts";
import {
  admit,
  agentThought,
  contextAdded,
  expectInvariants,
  modelCallStarted,
  type Open,
  type Opened,
  runEnded,
} from "./kit.contract.ts";

const LEASE = 15_000;
const RUNS = ["r0", "r1"];

interface Model {
  keys: string[];
  lastSignal: number;
  worker: string | undefined;
  epoch: number;
  dueAt: number | undefined;
  ended: boolean;
}

/** The state of a driver: its lease, and the last event that it has folded. */
interface Driver {
  epoch: number;
  after: number;
}

type Step =
  | { do: "say"; run: number; id: number }
  | { do: "acquire"; run: number; worker: string }
  | { do: "intent" | "outcome" | "end"; run: number; worker: string; id: number }
  | { do: "rest"; run: number; worker: string; wait: number | undefined }
  | { do: "cancel"; run: number }
  | { do: "beat"; worker: string }
  | { do: "pass"; ms: number }
  | { do: "restart" };

const run = fc.constantFrom(0, 1);
const worker = fc.constantFrom("w1", "w2");
const id = fc.nat({ max: 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("say" as const), run, id }),
  { weight: 3, arbitrary: fc.record({ do: fc.constant("acquire" as const), run, worker }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constantFrom("intent" as const, "outcome" as const), run, worker, id }),
  },
  fc.record({ do: fc.constant("end" as const), run, worker, id }),
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("rest" as const),
      run,
      worker,
      wait: fc.option(fc.nat({ max: 20_000 }), { nil: undefined }),
    }),
  },
  fc.record({ do: fc.constant("cancel" as const), run }),
  fc.record({ do: fc.constant("beat" as const), worker }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.nat({ max: 20_000 }) }) },
  fc.record({ do: fc.constant("restart" as const) }),
);

export function modelContract(open: Open): void {
  test("[J1] [J2] [J3] [J6] for random histories the store answers as the model predicts", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
        const history = new History(await open());
        try {
          await history.begin();
          for (const next of steps) await history.take(next);
          await expectInvariants(history.opened.store);
        } finally {
          await history.opened.close();
        }
      }),
      { numRuns: 60 },
    );
  });
}

class History {
  readonly opened: Opened;
  private readonly models: Model[] = [];
  private readonly drivers = new Map<string, Driver>();
  private alive = new Map<string, number>();

  constructor(opened: Opened) {
    this.opened = { ...opened };
    this.reopenStore = opened.reopen;
  }
  private readonly reopenStore: Opened["reopen"];

  async begin(): Promise<void> {
    for (const runId of RUNS) {
      await admit(this.opened.store, runId);
      this.models.push({
        keys: ["start"],
        lastSignal: 1,
        worker: undefined,
        epoch: 0,
        dueAt: 0,
        ended: false,
      });
    }
  }

  async take(next: Step): Promise<void> {
    await this.perform(next);
    const { store, clock } = this.opened;
    const due = RUNS.filter((_, index) => this.isDue(this.models[index]!));
    expect((await store.leases.due(clock.now(), 10)).toSorted()).toEqual(due);
    for (const [index, runId] of RUNS.entries()) {
      expect((await store.journal.read(runId)).map(({ key }) => key)).toEqual(this.models[index]!.keys);
    }
  }

  private async perform(next: Step): Promise<void> {
    const { store, clock } = this.opened;
    switch (next.do) {
      case "pass":
        clock.advance(next.ms);
        return;
      case "beat":
        await store.leases.heartbeat(next.worker, []);
        this.alive.set(next.worker, clock.now() + LEASE);
        return;
      case "restart":
        this.opened.store = await this.reopenStore();
        this.alive = new Map();
        for (const model of this.models) {
          if (model.worker !== undefined) model.dueAt = 0;
          model.worker = undefined;
        }
        return;
      case "cancel":
        await this.cancel(next.run);
        return;
      case "say": {
        const model = this.models[next.run]!;
        const answer = await store.journal.append({
          runId: RUNS[next.run]!,
          after: 0,
          events: [contextAdded(`${next.id}`)],
        });
        const key = `context/${next.id}`;
        const repeated = model.keys.includes(key);
        expect(answer.refused).toBe(repeated || !model.ended ? undefined : "ended");
        if (!repeated && !model.ended) this.signal(model, key);
        return;
      }
      case "acquire":
        return this.acquire(next.run, next.worker);
      default:
        return this.drive(next);
    }
  }

  private async acquire(index: number, worker: string): Promise<void> {
    const { store, clock } = this.opened;
    const model = this.models[index]!;
    const lease = await store.leases.acquire(RUNS[index]!, worker);
    expect(lease !== undefined).toBe(this.isDue(model));
    if (!lease) return;
    Object.assign(model, { worker, epoch: model.epoch + 1, dueAt: undefined });
    this.alive.set(worker, clock.now() + LEASE);
    expect(lease.epoch).toBe(model.epoch);
    this.drivers.set(`${index}${worker}`, { epoch: model.epoch, after: model.keys.length });
  }

  private async cancel(index: number): Promise<void> {
    const model = this.models[index]!;
    const reached = await this.opened.store.runs.cancel(RUNS[index]!, { by: "maria" });
    const reaches = !model.ended && !model.keys.includes("cancel");
    expect(reached).toEqual(reaches ? [RUNS[index]] : []);
    if (reaches) this.signal(model, "cancel");
  }

  private async drive(next: Extract<Step, { worker: string; run: number }>): Promise<void> {
    const model = this.models[next.run]!;
    const driver = this.drivers.get(`${next.run}${next.worker}`);
    if (!driver || next.do === "acquire") return;
    const event =
      next.do === "intent"
        ? modelCallStarted(`m${next.id}`)
        : next.do === "outcome"
          ? agentThought(`m${next.id}`)
          : runEnded();
    const key = next.do === "intent" ? `m${next.id}/s` : next.do === "outcome" ? `m${next.id}/e` : "end";
    const wakeAt =
      next.do === "rest" && next.wait !== undefined ? this.opened.clock.now() + next.wait : undefined;
    const current = model.worker === next.worker && model.epoch === driver.epoch;
    const expected = this.verdict(next.do, key, model, driver, current);
    const answer = await this.opened.store.journal.append({
      runId: RUNS[next.run]!,
      writer: { worker: next.worker, epoch: driver.epoch },
      after: driver.after,
      events: next.do === "rest" ? [] : [event],
      ...(next.do === "rest" ? { rest: { wakeAt } } : {}),
      ...(next.do === "intent" || next.do === "end" ? { guard: "signals" as const } : {}),
    });
    expect(answer.refused).toBe(expected === "repeated" || expected === "ok" ? undefined : expected);
    if (expected === "ok") this.apply(next.do, key, model, current, wakeAt);
    driver.after = answer.events.at(-1)?.seq ?? driver.after;
  }

  private verdict(
    kind: Step["do"],
    key: string,
    model: Model,
    driver: Driver,
    current: boolean,
  ): Refusal | "repeated" | "ok" {
    // L4: a driver that has lost the run must not learn that its intent is stored. Otherwise it would perform the effect.
    const acts = kind === "intent" && !current;
    if (kind !== "rest" && !acts && model.keys.includes(key)) return "repeated";
    if (model.ended) return "ended";
    if (!current) {
      if (kind !== "outcome") return "epoch";
      return model.keys.includes(key.replace("/e", "/s")) ? "ok" : "closed";
    }
    if (kind !== "outcome" && model.lastSignal > driver.after) return "signals";
    return "ok";
  }

  private apply(
    kind: Step["do"],
    key: string,
    model: Model,
    current: boolean,
    wakeAt: number | undefined,
  ): void {
    if (kind === "rest") {
      model.worker = undefined;
      model.dueAt = wakeAt;
    } else if (!current) {
      this.signal(model, key);
    } else {
      model.keys.push(key);
    }
    if (kind === "end") Object.assign(model, { ended: true, worker: undefined, dueAt: undefined });
  }

  private signal(model: Model, key: string): void {
    model.keys.push(key);
    model.lastSignal = model.keys.length;
    if (model.worker === undefined) model.dueAt = 0;
  }

  private isDue(model: Model): boolean {
    const now = this.opened.clock.now();
    if (model.ended) return false;
    if (model.worker !== undefined) return (this.alive.get(model.worker) ?? 0) <= now;
    return model.dueAt !== undefined && model.dueAt <= now;
  }
}
