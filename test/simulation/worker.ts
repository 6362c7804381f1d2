// A simulated process. It runs the real loop, and a gate controls everything that the loop touches.
// Each process has its own name, limiter and deadline. All processes share the store, the clock and the outside world.

import type { RunId } from "../../src/ids.ts";
import { drive } from "../../src/loop/drive/drive.ts";
import type { LoopParts } from "../../src/loop/parts.ts";
import { Gate } from "./gate.ts";
import { loopParts } from "./parts.ts";
import type { Intent, SimProcess, Surroundings } from "./surroundings.ts";

const LEASE_MS = 15_000;

export class SimWorker implements SimProcess {
  readonly name: string;
  readonly pid: number;
  readonly gate: Gate;
  readonly parts: LoopParts;
  readonly intents = new Map<RunId, Intent>();
  readonly driving = new Map<RunId, AbortController>();
  /** True after the worker was asked to stop. The worker finishes its work, and is removed when the phase with faults ends. */
  leaving = false;
  private readonly world: Surroundings;
  private deadline = Number.NEGATIVE_INFINITY;

  constructor(name: string, pid: number, world: Surroundings) {
    this.name = name;
    this.pid = pid;
    this.world = world;
    this.gate = new Gate(world.random, world.options, world.onActivity);
    this.parts = loopParts(this, world);
  }

  mayBegin(): boolean {
    return this.world.clock.elapsed() < this.deadline;
  }

  drive(runId: RunId): void {
    const controller = new AbortController();
    this.driving.set(runId, controller);
    drive(runId, this.parts, controller.signal)
      .catch((error: unknown) =>
        this.world.watch.problem(`L5 a drive of ${runId} rejected: ${String(error)}`),
      )
      .finally(() => {
        this.world.onActivity();
        this.driving.delete(runId);
      });
  }

  async beat(): Promise<void> {
    if (this.gate.dead || this.gate.stalled) return;
    const sent = this.world.clock.elapsed();
    const held = [...this.parts.drives].map(([runId, { epoch }]) => ({ runId, epoch }));
    const { cancelled, lost } = await this.world.store().leases.heartbeat(this.name, held);
    this.deadline = sent + LEASE_MS;
    for (const runId of cancelled) this.parts.drives.get(runId)?.interrupt("cancel");
    for (const runId of lost) this.parts.drives.get(runId)?.interrupt("lost");
  }
}
