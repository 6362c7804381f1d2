// Simulates one seed. The simulation is the scheduler: at every await point of every worker, it decides what happens next.
// The first phase injects faults, and no invariant is allowed to break (safety).
// The second phase injects no faults, and every run must end (liveness).

import { rmSync } from "node:fs";
import { vi } from "vitest";
import { fakeClock } from "../../src/clock.ts";
import { seededIds } from "../../src/ids.ts";
import { openSqliteStore } from "../../src/stores/sqlite/store.ts";
import { LEASE_MS, type Store } from "../../src/stores/store.ts";
import { finalProblems, missedTimers } from "./final-checks.ts";
import type { SimAction, SimOptions } from "./options.ts";
import { Person } from "./person.ts";
import { seededRandom } from "./random.ts";
import { scratchFile } from "./scratch.ts";
import { agentsOf, startRuns } from "./start-runs.ts";
import type { Mutant, Surroundings } from "./surroundings.ts";
import { Watch } from "./watch.ts";
import { SimWorker } from "./worker.ts";

export interface Verdict {
  seed: number;
  options: SimOptions;
  problems: string[];
  /** The trace of the simulation. The same seed always gives the same trace. */
  trace: string[];
  counts: { events: number; effects: number; crashes: number; runs: number };
  /** The triggers that started the runs of this simulation. */
  started: string[];
}

const LIVENESS_ROUNDS = 1_000;
const SPINNING = 5_000;
const BEAT_MS = 5_000;
const HOUR = 3_600_000;

export async function simulate(options: SimOptions, mutant: Mutant = { name: "none" }): Promise<Verdict> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const mend = mutant.install?.();
  const simulation = new Simulation(options, mutant);
  try {
    return await simulation.run();
  } finally {
    await simulation.close();
    mend?.();
    vi.useRealTimers();
  }
}

class Simulation {
  private readonly options: SimOptions;
  private readonly world: Surroundings;
  private readonly watch: Watch;
  private readonly clock = fakeClock();
  private readonly file: string;
  private store: Store;
  private stopWatching: () => void = () => {};
  private workers: SimWorker[] = [];
  private born = 0;
  private crashes = 0;
  /** Time of the last crash. The runs of a dead worker stay locked until its leases expire. */
  private lastCrash = 0;
  private activity = 0;
  private readonly trace: string[] = [];
  private person!: Person;

  constructor(options: SimOptions, mutant: Mutant) {
    this.options = options;
    this.watch = new Watch(options);
    this.file = options.storage === "file" ? scratchFile(`${options.seed}.db`) : ":memory:";
    this.store = this.openStore();
    this.world = {
      options,
      random: seededRandom(options.seed + 1_000_003),
      clock: this.clock,
      ids: seededIds(options.seed),
      watch: this.watch,
      notes: new Map(),
      findAgent: agentsOf(options),
      store: () => this.store,
      onActivity: () => this.activity++,
      trace: (line) => this.trace.push(line),
      mutant,
    };
  }

  async run(): Promise<Verdict> {
    await this.begin();
    for (let step = 0; step < this.options.steps && this.watch.problems.length === 0; step++)
      await this.step(step);
    if (this.watch.problems.length === 0) await this.finishAll();
    this.stopWatching();
    if (this.watch.problems.length === 0) {
      this.watch.problems.push(...(await finalProblems(this.store, this.watch)));
    }
    const { runIds } = this.watch;
    const events = runIds.reduce((sum, id) => sum + this.watch.journal(id).length, 0);
    const counts = { events, effects: this.watch.effects.length, crashes: this.crashes, runs: runIds.length };
    const { options, trace, watch } = this;
    const started = runIds.flatMap((id) => watch.trigger(id) ?? []);
    return { seed: options.seed, options, problems: watch.problems, trace, counts, started };
  }

  async close(): Promise<void> {
    for (const worker of this.workers) worker.gate.crash();
    await this.settle();
    vi.clearAllTimers();
    await this.store.close();
    if (this.file !== ":memory:")
      for (const end of ["", "-wal", "-shm"]) rmSync(this.file + end, { force: true });
  }

  private async begin(): Promise<void> {
    const { workers, runs } = this.options;
    for (let count = workers === "one" ? 1 : 2; count > 0; count--) await this.hire();
    this.person = new Person(this.world, this.workers[0]!.parts);
    await startRuns(runs, this.store, this.world);
  }

  private openStore(): Store {
    const store = openSqliteStore({ path: this.file, clock: this.clock });
    this.stopWatching = store.journal.onCommit((events) => {
      this.activity++;
      this.watch.committed(events);
      for (const { type, runId, seq } of events) this.trace.push(`    + ${runId.slice(-4)} #${seq} ${type}`);
      for (const { type, runId } of events) {
        if (type !== "CANCEL_REQUESTED" || !this.options.hearsCancels) continue;
        for (const { gate, parts } of this.workers)
          if (!gate.stalled) parts.drives.get(runId)?.interrupt("cancel");
      }
    });
    return store;
  }

  private async hire(): Promise<void> {
    this.born++;
    const pid = this.options.sameHost ? 1 : this.born;
    const worker = new SimWorker(`w${this.born}`, pid, this.world);
    this.workers.push(worker);
    await worker.beat();
  }

  private async step(number: number): Promise<void> {
    const { random, options } = this.world;
    const held = this.workers.some(({ gate }) => !gate.idle && !gate.stalled);
    const weights = { ...options.weights, release: held ? options.weights.release : 0 };
    const action = random.weighted(Object.entries(weights) as [SimAction, number][]);
    const worker = random.pick(this.workers);
    const said = await this[ACTIONS[action]](worker);
    if (said !== undefined) this.trace.push(`${number} ${action} ${worker.name}: ${said}`);
    await this.settle();
  }

  private async startDrive(worker: SimWorker): Promise<string | undefined> {
    const due = (await this.store.leases.due(this.clock.now(), 10)).filter(
      (runId) => !worker.driving.has(runId),
    );
    if (due.length === 0 || worker.gate.stalled) return undefined;
    const runId = this.world.random.pick(due);
    worker.drive(runId);
    return runId;
  }

  private async release({ gate }: SimWorker): Promise<string | undefined> {
    return gate.stalled ? undefined : gate.release();
  }

  private async personActs(worker: SimWorker): Promise<string | undefined> {
    const { random } = this.world;
    const acts = this.person.act(random.pick(this.watch.runIds));
    const meanwhile = random.chance(0.4) && !worker.gate.stalled ? worker.gate.release() : undefined;
    await this.settle();
    return meanwhile === undefined ? acts : `${await acts}, while ${meanwhile}`;
  }

  private async tick(): Promise<string> {
    const ms = this.world.random.between(1, 2_000);
    await this.advance(ms);
    return `${ms} ms`;
  }

  private async waitForTimer(): Promise<string | undefined> {
    const next = await this.store.leases.nextDue();
    if (next === undefined) return undefined;
    const ms = Math.min(Math.max(0, next - this.clock.now()), 2 * HOUR);
    await this.advance(this.isBusy() ? Math.min(ms, 30_000) : ms);
    return `${ms} ms`;
  }

  private async expireLeases(): Promise<string> {
    await this.advance(16_000);
    return "16 s";
  }

  private async jump(): Promise<string> {
    const by = this.world.random.pick([2 * HOUR, -2 * HOUR]);
    this.clock.set(this.clock.now() + by);
    for (const worker of this.workers) await worker.beat();
    return `${by / HOUR} h`;
  }

  private async crash(worker: SimWorker): Promise<string> {
    this.crashes++;
    this.lastCrash = this.clock.elapsed();
    const said = worker.gate.crash();
    this.workers = this.workers.filter((other) => other !== worker);
    await this.settle();
    if (this.options.storage === "file") {
      const before = this.store;
      this.store = this.openStore();
      await before.close();
    }
    await this.hire();
    return said;
  }

  private async stall({ gate }: SimWorker): Promise<string> {
    gate.stalled = !gate.stalled;
    return gate.stalled ? "slow" : "back";
  }

  private async drain(worker: SimWorker): Promise<string | undefined> {
    const runId = [...worker.driving.keys()][0];
    if (runId === undefined) return undefined;
    worker.driving.get(runId)!.abort();
    worker.leaving = true;
    return runId;
  }

  private async fillDisk({ gate }: SimWorker): Promise<number | undefined> {
    return gate.failWrites() || undefined;
  }

  /** Advances the clock. Each worker sends its heartbeats, unless it is stalled. */
  private async advance(ms: number): Promise<void> {
    for (let rest = ms; rest > 0; ) {
      const part = this.isBusy() ? Math.min(rest, BEAT_MS) : rest;
      rest -= part;
      this.clock.advance(part);
      vi.advanceTimersByTime(part);
      for (const worker of this.workers) await worker.beat();
      await this.settle();
    }
  }

  private isBusy(): boolean {
    return this.workers.some(({ driving }) => driving.size > 0);
  }

  /** P11, I11: no faults occur any more. People answer every open item, and time passes until every run has ended. */
  private async finishAll(): Promise<void> {
    this.trace.push("faults are over");
    for (let round = 0; round < LIVENESS_ROUNDS && this.watch.problems.length === 0; round++) {
      for (const { gate } of this.workers) {
        gate.stalled = false;
        gate.open = true;
        gate.releaseAll();
      }
      await this.settle();
      for (const worker of this.workers.filter(({ leaving }) => leaving)) await this.crash(worker);
      const left = await this.unfinished();
      if (left.length === 0) return;
      const moved = await this.goOn(left);
      // `moved` can stay true forever, because queued runs retry every second.
      // So the clock also advances in every 100th round. This matters because a clock jump can make a lease very long.
      if (!moved || round % 100 === 99) await this.advance(round % 10 === 9 ? 2 * HOUR : 16_000);
      await this.settle();
    }
    const left = await this.unfinished();
    if (left.length === 0 || this.watch.problems.length > 0) return;
    const rows = await Promise.all(left.map((id) => this.store.runs.get(id)));
    const where = rows.map((row) => `${row!.id} ${row!.status} ${JSON.stringify(row!.waitingOn)}`);
    this.watch.problem(`I11 never ends: ${where.join("; ")}`);
  }

  private async goOn(left: readonly string[]): Promise<boolean> {
    const { options, random } = this.world;
    for (const worker of this.workers) await worker.beat();
    const driven = await this.startDrive(this.workers[0]!);
    if (driven !== undefined) this.trace.push(`  drive ${driven}`);
    await this.settle();
    if (driven !== undefined || this.isBusy()) return driven !== undefined;
    const states = left.map((runId) => this.person.state(runId));
    const leasesAreOver = this.clock.elapsed() - this.lastCrash > 2 * LEASE_MS && options.weights.jump === 0;
    if (leasesAreOver) for (const late of missedTimers(states, this.clock.now())) this.watch.problem(late);
    if (options.slowPeople > 0 && random.chance(options.slowPeople)) {
      await this.advance(HOUR);
      return true;
    }
    const next = await this.store.leases.nextDue();
    const helped = await Promise.all(left.map((runId) => this.person.help(runId)));
    if (helped.includes(true)) return true;
    if (next === undefined) return false;
    await this.advance(Math.max(0, next - this.clock.now()));
    return true;
  }

  private async unfinished(): Promise<string[]> {
    const rows = await Promise.all(this.watch.runIds.map((id) => this.store.runs.get(id)));
    return rows.flatMap((row) => (row && row.endedAt === undefined ? [row.id] : []));
  }

  /** Waits until each worker is idle or needs the simulation to release an operation. */
  private async settle(): Promise<void> {
    let seen = this.activity;
    let rounds = 0;
    for (let quiet = 0; quiet < 3; quiet++) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (++rounds === SPINNING) {
        this.watch.problem("E5 a drive goes round and round without resting");
        for (const { gate } of this.workers) gate.crash();
      }
      if (this.activity !== seen) quiet = -1;
      seen = this.activity;
    }
  }
}

const ACTIONS = {
  drive: "startDrive",
  release: "release",
  person: "personActs",
  tick: "tick",
  wait: "waitForTimer",
  "expire-leases": "expireLeases",
  jump: "jump",
  crash: "crash",
  stall: "stall",
  drain: "drain",
  "disk-full": "fillDisk",
} as const satisfies Record<SimAction, string>;
