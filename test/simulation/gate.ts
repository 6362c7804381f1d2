// The await points of one worker. Whatever it asks of the world waits here until the simulation lets it happen, and the
// answer may wait once more: a crash between the two loses the answer and keeps the effect.
//  G1  Writes happen in the order in which they were asked for: a store's queue has one order.
//  G2  A dead worker gets no answer any more; what it had queued is done up to some point, and not beyond.

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
  /** Not begun yet, in the order in which they were asked for. */
  waiting: Operation[] = [];
  /** Done, but the worker has not heard of it. */
  answers: { label: string; deliver(): void }[] = [];
  dead = false;
  /** Slow: nothing passes by itself. */
  stalled = false;
  /** Faults are over: everything passes. */
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

  /** Lets one thing happen: a prefix of the writes, one of the others, or the delivery of an answer. */
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

  /** The disk is full for everything that is queued now. */
  failWrites(): number {
    const writes = this.waiting.filter(({ lane }) => lane === "write");
    this.waiting = this.waiting.filter(({ lane }) => lane !== "write");
    for (const { fail } of writes) fail(new CadreError("STORAGE_FULL", "simulated: no space left"));
    return writes.length;
  }

  /** The process is gone. Of its queued writes some may have reached the disk, none of its answers did. */
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

  /** Answers come in their order: one that is late holds up those behind it. */
  private answer(lane: Lane, label: string, deliver: () => void): void {
    this.onActivity();
    if (this.dead) return;
    const late = !this.open && (this.stalled || (lane === "write" && this.answers.length > 0));
    if (late || (!this.open && this.random.chance(this.options.late))) this.answers.push({ label, deliver });
    else deliver();
  }
}
