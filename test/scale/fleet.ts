// Trees and the workers that drive them: real processes on a real Postgres. The test's own process asks, and answers as a
// person would who looks at what really happened.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { programPath } from "../../src/config/program.fixture.ts";
import { scratchFolder } from "../../src/config/scratch.fixture.ts";
import { decideOutcome } from "../../src/loop/people.ts";
import type { RunRow } from "../../src/projections/run-row.ts";
import { createRuntime, type Runtime } from "../../src/runtime.ts";
import { checkInvariants } from "../support/invariants.ts";
import { effects } from "../support/oracle.ts";
import { loadOptions, oracleOf, writeAgents } from "./load.ts";

const SOURCE = fileURLToPath(new URL("worker-process.ts", import.meta.url));

export interface Worker {
  process: ChildProcess;
  pid: number;
  /** What it complained of. */
  said(): string;
}

export class Fleet {
  readonly folder = scratchFolder("cadre-fleet-");
  private readonly store: string;
  private readonly workers: Worker[] = [];
  runtime!: Runtime;
  private readonly roots: string[] = [];

  constructor(store: string) {
    this.store = store;
  }

  async open(): Promise<this> {
    writeAgents(this.folder);
    this.runtime = await createRuntime(loadOptions(this.folder, this.store));
    this.runtime.store.onCommit((events) => {
      if (events.some(({ type }) => type === "RUN_SUSPENDED")) void this.answer();
    });
    return this;
  }

  /** `through`: another way to the same database. `flags`: of Node, which may change modules as they are read. */
  async addWorker(through = this.store, flags: readonly string[] = []): Promise<Worker> {
    const program = flags.length > 0 ? SOURCE : programPath("scale-worker");
    const child = spawn(process.execPath, [...flags, program, this.folder, through], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    const worker = { process: child, pid: child.pid!, said: () => said };
    this.workers.push(worker);
    await Promise.race([
      once(child.stdout, "data"),
      once(child, "exit").then(() => Promise.reject(new Error(`The worker ended:\n${said}`))),
    ]);
    return worker;
  }

  async plant(trees: number): Promise<void> {
    const admitted = await Promise.all(
      Array.from({ length: trees }, () => this.runtime.admit({ agent: "lead", task: "buy it, stamped" })),
    );
    this.roots.push(...admitted.map(({ runId }) => runId));
  }

  /** Once it has some. */
  async heldBy({ pid }: Worker): Promise<void> {
    const { store } = this.runtime;
    await expect
      .poll(async () => (await store.workers()).find((row) => row.pid === pid)?.runs, SOON)
      .toBeGreaterThan(0);
  }

  /** Once anybody has some. */
  async busy(): Promise<void> {
    const { store } = this.runtime;
    await expect.poll(async () => (await store.workers()).some(({ runs }) => runs > 0), SOON).toBe(true);
  }

  /** Until nobody waits for it any more. */
  async lostBy({ pid }: Worker): Promise<void> {
    const { store } = this.runtime;
    await expect
      .poll(async () => (await store.workers()).find((row) => row.pid === pid)?.runs ?? 0, SOON)
      .toBe(0);
  }

  /** Who is at work, as `cadre workers` tells it. */
  async listed(): Promise<{ pid: number; silent: boolean }[]> {
    return (await this.runtime.store.workers()).map(({ pid, silent }) => ({ pid, silent }));
  }

  /** All trees, as if nothing had happened. */
  async endedRight(): Promise<void> {
    const { store } = this.runtime;
    const open = async () =>
      (await store.runs({ status: ["pending", "running", "waiting", "suspended"], limit: 10_000 })).runs;
    await expect
      .poll(
        async () => {
          await this.answer();
          return this.standingOf(await open());
        },
        { timeout: 90_000, interval: 250 },
      )
      .toEqual([]);
    const { runs } = await store.runs({ limit: 10_000 });
    const ends = runs.map(({ status, summary }) => `${status} ${summary}`);
    const times = (text: string) => ends.filter((end) => end === text).length;
    expect({
      lead: times("completed Bought and stamped."),
      buyer: times("completed Bought."),
      stamper: times("completed Stamped."),
    }).toEqual({
      lead: this.roots.length,
      buyer: this.roots.length,
      stamper: this.roots.length,
    });
    await checkInvariants(store, oracleOf(this.folder));
    const charges = effects(oracleOf(this.folder)).filter(({ tool }) => tool === "charge");
    const calls = charges.map(({ runId, callId }) => `${runId}/${callId}`);
    expect(calls.length, "each charged once").toBe(this.roots.length);
    expect(new Set(calls).size, "and none twice").toBe(calls.length);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { process: child } of this.workers) {
      child.kill("SIGCONT");
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    }
    await this.runtime.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** For a message that says what is wrong. */
  private async standingOf(runs: readonly RunRow[]): Promise<string[]> {
    const { store } = this.runtime;
    return Promise.all(
      runs.map(async ({ id, agent, status, waitingOn }) => {
        const last = (await store.journal(id)).slice(-4).map(({ type }) => type);
        return `${agent} ${status} ${JSON.stringify(waitingOn)} ${last.join(" ")}`;
      }),
    );
  }

  private async answer(): Promise<void> {
    const { store, people } = this.runtime;
    for (const { runId, itemId, kind } of await store.openApprovals().catch(() => [])) {
      if (kind !== "outcome") continue;
      const callId = itemId.replace("outcome/", "");
      const happened = effects(oracleOf(this.folder)).some(
        (effect) => effect.runId === runId && effect.callId === callId,
      );
      const verdict = happened
        ? { verdict: "happened" as const, output: "charge card 1: done" }
        : { verdict: "run_again" as const };
      // Somebody was faster, or the database is away: the next look tells.
      await decideOutcome(runId, callId, verdict, "person", people).catch(() => {});
    }
  }
}

const SOON = { timeout: 60_000, interval: 50 };
