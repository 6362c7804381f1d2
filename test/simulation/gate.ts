// The await points of one worker. Each operation waits at the gate until the simulation lets it pass.
// The answer of an operation can wait at the gate too.
// If the worker crashes between the operation and its answer, the answer is lost, but the effect remains.
//  G1  Writes happen in the order in which the worker requested them, as in a store's queue.
//  G2  A dead worker receives no answers. Only the first few of its queued writes are performed; the others are lost.

import { CadreError } from "../../src/errors.ts";
import type { Random } from "./random.ts";

export type Lane = "write" | "read" | "effect";

interface Operation {
  lane: Lane;
  label: string;
  begin(): void;
  fail(error: Error): void;
}

export interface GateOptions {
  gated: number;
  late: number;
}

export class Gate {
  /** Operations that have not begun, in the order in which they were requested. */
  waiting: Operation[] = [];
  /** Answers of finished operations that the worker has not received yet. */
  answers: { label: string; deliver(): void }[] = [];
  dead = false;
  /** Whether the worker is stalled. Nothing passes the gate until the simulation releases the worker. */
  stalled = false;
  /** Whether the phase with faults is over. After this phase, everything passes the gate immediately. */
  open = false;
  private readonly random: Random;
  private readonly options: GateOptions;
  private readonly onActivity: () => void;

  constructor(random: Random, options: GateOptions, onActivity: () => void) {
    this.random = random;
    this.options = options;
    this.onActivity = onActivity;
  }

  pass<T>(lane: Lane, label: string, perform: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.dead) return;
      this.onActivity();
      const answer = (deliver: () => void): void => this.answer(lane, label, deliver);
      const begin = (): void => {
        this.onActivity();
        perform().then(
          (value) => answer(() => resolve(value)),
          (error: Error) => answer(() => reject(error)),
        );
      };
      if (this.passesNow(lane)) begin();
      else this.waiting.push({ lane, label, begin, fail: reject });
    });
  }

  /** Makes one step: begins the first few queued writes, or begins one other operation, or delivers an answer. */
  release(): string | undefined {
    const writes = this.waiting.filter(({ lane }) => lane === "write");
    const others = this.waiting.filter(({ lane }) => lane !== "write");
    const choice = this.random.weighted([
      ["writes", writes.length > 0 ? 2 : 0],
      ["other", others.length > 0 ? 2 : 0],
      ["answers", this.answers.length > 0 ? 2 : 0],
      ["nothing", 0.001],
    ]);
    if (choice === "writes") return this.begin(writes.slice(0, this.random.between(1, writes.length)));
    if (choice === "other") return this.begin([this.random.pick(others)]);
    if (choice === "nothing") return undefined;
    const { label, deliver } = this.answers.shift()!;
    deliver();
    return `answer to ${label}`;
  }

  releaseAll(): void {
    this.begin([...this.waiting]);
    for (const { deliver } of this.answers.splice(0)) deliver();
  }

  /** Fails every queued write, as a full disk would. */
  failWrites(): number {
    const writes = this.waiting.filter(({ lane }) => lane === "write");
    this.waiting = this.waiting.filter(({ lane }) => lane !== "write");
    for (const { fail } of writes) fail(new CadreError("STORAGE_FULL", "simulated: no space left"));
    return writes.length;
  }

  /** Kills the process. Some of its queued writes still reach the disk, but the process receives no answers. */
  crash(): string {
    const writes = this.waiting.filter(({ lane }) => lane === "write");
    const done = writes.slice(0, this.random.between(0, writes.length));
    this.dead = true;
    this.waiting = [];
    this.answers = [];
    for (const { begin } of done) begin();
    return `${done.length} of ${writes.length} queued writes done`;
  }

  get idle(): boolean {
    return this.waiting.length === 0 && this.answers.length === 0;
  }

  private begin(operations: readonly Operation[]): string {
    this.waiting = this.waiting.filter((operation) => !operations.includes(operation));
    for (const { begin } of operations) begin();
    return operations.map(({ label }) => label).join(" + ");
  }

  private passesNow(lane: Lane): boolean {
    if (this.open) return true;
    if (this.stalled || (lane === "write" && this.waiting.some((other) => other.lane === "write")))
      return false;
    return !this.random.chance(this.options.gated);
  }

  /** Delivers answers in order. A late answer also delays the answers behind it. */
  private answer(lane: Lane, label: string, deliver: () => void): void {
    this.onActivity();
    if (this.dead) return;
    const late = !this.open && (this.stalled || (lane === "write" && this.answers.length > 0));
    if (late || (!this.open && this.random.chance(this.options.late))) this.answers.push({ label, deliver });
    else deliver();
  }
}
