// A fleet as queues on a simulated clock. The number of active runs is constant, and each goes through the steps of a real run.
//  1  A step: the worker's CPU, a commit of the intent, the model's time, a commit of the outcome.
//  2  A worker is one core. All appends that wait when the worker gets the head form one transaction (group commit).
//  3  A partition has one head, so the transactions of all workers pass it one after the other. A run stays in the partition
//     of its root.
//  4  A run that waits for a person costs nothing but its row; continuing costs a wake.

import { Agenda } from "./agenda.ts";
import type { PlayedStep } from "./core.ts";
import { type Costs, WORLD } from "./costs.ts";

export interface Fleet {
  /** Active runs, including those that wait for a person. */
  runs: number;
  workers: number;
  partitions: number;
}

export interface Outcome {
  stepsPerSecond: number;
  eventsPerSecond: number;
  bytesPerSecond: number;
  wakesPerSecond: number;
  /** The load of the busiest of each kind, between 0 and 1. */
  headBusy: number;
  workerBusy: number;
  /** Milliseconds from the request for a commit to its end. */
  commitP50: number;
  commitP99: number;
}

const WARM_UP_MS = 60_000;
const MEASURED_MS = 30_000;

interface Waiting {
  since: number;
  then: () => void;
}

interface Head {
  /** Waiting appends by worker, in order of arrival. */
  waiting: Map<number, Waiting[]>;
  taken: boolean;
  busyMs: number;
}

interface Run {
  steps: readonly PlayedStep[];
  at: number;
  head: Head;
  worker: number;
}

export function simulate(fleet: Fleet, played: readonly PlayedStep[][], costs: Costs): Outcome {
  return new Simulation(fleet, played, costs).run();
}

class Simulation {
  private readonly agenda = new Agenda();
  private readonly fleet: Fleet;
  private readonly played: readonly PlayedStep[][];
  private readonly costs: Costs;
  private readonly random: () => number;
  private readonly heads: Head[];
  private readonly freeAt: Float64Array;
  private readonly workerMs: Float64Array;
  private readonly count = { steps: 0, events: 0, bytes: 0, wakes: 0 };
  private readonly waits: number[] = [];

  constructor(fleet: Fleet, played: readonly PlayedStep[][], costs: Costs) {
    const { runs, workers, partitions } = fleet;
    this.fleet = fleet;
    this.played = played;
    this.costs = costs;
    this.random = randomFrom(runs * 31 + workers * 7 + partitions);
    this.heads = Array.from({ length: partitions }, () => ({ waiting: new Map(), taken: false, busyMs: 0 }));
    this.freeAt = new Float64Array(workers);
    this.workerMs = new Float64Array(workers);
  }

  run(): Outcome {
    // Runs start at different times, because we simulate a fleet that has been running for a while.
    for (let run = 0; run < this.fleet.runs; run++)
      this.agenda.in((this.random() * WARM_UP_MS) / 2, () => this.begin());
    this.agenda.runUntil(WARM_UP_MS + MEASURED_MS);
    const perSecond = (total: number): number => (total / MEASURED_MS) * 1_000;
    const { count, waits } = this;
    waits.sort((a, b) => a - b);
    return {
      stepsPerSecond: perSecond(count.steps),
      eventsPerSecond: perSecond(count.events),
      bytesPerSecond: perSecond(count.bytes),
      wakesPerSecond: perSecond(count.wakes),
      headBusy: Math.max(...this.heads.map(({ busyMs }) => busyMs)) / MEASURED_MS,
      workerBusy: Math.max(...this.workerMs) / MEASURED_MS,
      commitP50: waits[Math.floor(waits.length * 0.5)] ?? 0,
      commitP99: waits[Math.floor(waits.length * 0.99)] ?? 0,
    };
  }

  private begin(): void {
    const steps = this.oneOf(this.played);
    this.wake({ steps, at: 0, head: this.oneOf(this.heads), worker: 0 });
  }

  /** The engine gives the run to any worker. */
  private wake(run: Run): void {
    if (this.counts()) this.count.wakes++;
    this.work({ ...run, worker: Math.floor(this.random() * this.fleet.workers) });
  }

  private work(run: Run): void {
    const { events, bytes, written } = run.steps[run.at]!;
    const modelMs = WORLD.modelMs + (written / WORLD.charactersPerSecond) * 1_000;
    const { agenda, count } = this;
    this.onWorker(run.worker, () =>
      this.commit(run, () =>
        agenda.in(modelMs, () =>
          this.commit(run, () => {
            if (this.counts()) {
              count.steps++;
              count.events += events;
              count.bytes += bytes;
            }
            this.goOn({ ...run, at: run.at + 1 });
          }),
        ),
      ),
    );
  }

  private goOn(run: Run): void {
    const next = run.steps[run.at];
    if (!next) this.begin();
    else if (next.waits) this.agenda.in(WORLD.personMs * 2 * this.random(), () => this.wake(run));
    else this.work(run);
  }

  private onWorker(worker: number, then: () => void): void {
    const { agenda, freeAt, workerMs, costs } = this;
    freeAt[worker] = Math.max(agenda.now, freeAt[worker]!) + costs.workerStepMs;
    if (this.counts()) workerMs[worker]! += costs.workerStepMs;
    agenda.in(freeAt[worker]! - agenda.now, then);
  }

  private commit({ head, worker }: Run, then: () => void): void {
    const append = { since: this.agenda.now, then };
    const own = head.waiting.get(worker);
    if (own) own.push(append);
    else head.waiting.set(worker, [append]);
    if (!head.taken) this.serve(head);
  }

  private serve(head: Head): void {
    const [next] = head.waiting;
    head.taken = next !== undefined;
    if (!next) return;
    const [worker, appends] = next;
    head.waiting.delete(worker);
    const ms = this.costs.commitMs + (appends.length - 1) * this.costs.appendMs;
    if (this.counts()) head.busyMs += ms;
    this.agenda.in(ms, () => {
      for (const { since, then } of appends) {
        if (this.counts()) this.waits.push(this.agenda.now - since);
        then();
      }
      this.serve(head);
    });
  }

  private counts(): boolean {
    return this.agenda.now >= WARM_UP_MS;
  }

  private oneOf<T>(things: readonly T[]): T {
    return things[Math.floor(this.random() * things.length)]!;
  }
}

/** Mulberry32: the same seed gives the same result. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
