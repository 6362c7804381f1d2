// A run while this process drives it: the lease, the journal's fold, and the three ways to write.
//  L1  Nothing happens to a run except by an appended event.
//  L3  An intent is appended before its effect begins, and only if nothing came in between.
//  L4  A driver whose epoch is stale begins nothing: it hands in the outcomes of its open calls and stops.
// What is recorded is folded at once and queued at once: it rides in the commit of whatever is begun next. If somebody
// else's event turns out to stand before it, the fold is made anew from the journal.

import { CadreError, toCadreError } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import { Definition } from "../../journal/definition.ts";
import { type EventBody, isProgress, type JournalEvent } from "../../journal/events.ts";
import { keyOf } from "../../journal/keys.ts";
import { isNewer } from "../../journal/upcast.ts";
import { addChild, type ChildRun, type ChildRuns } from "../../projections/folds/child-runs.ts";
import { applyRunState, emptyRunState, type RunState } from "../../projections/folds/run-state.ts";
import { trackTaint } from "../../projections/folds/taint.ts";
import { applyTranscript, emptyTranscript, type Transcript } from "../../projections/folds/transcript.ts";
import type { Append, AppendResult, Lease, Refusal, Store } from "../../stores/store.ts";
import type { LoopParts } from "../parts.ts";
import { eventsBefore } from "./continued-runs.ts";
import type { RunView } from "./decide-turn.ts";

const FULL_DISK_WAIT_MS = 250;
const LONGEST_WAIT_MS = 15_000;

type Sent = Pick<Append, "events" | "guard" | "rest" | "reserve" | "spawn" | "claims" | "concurrent">;

type JournalParts = Pick<LoopParts, "store" | "clock" | "ids" | "mask" | "maxConcurrent" | "onProblem">;

export class RunJournal {
  readonly runId: RunId;
  readonly lease: Lease;
  readonly definition: Definition;
  state: RunState = emptyRunState();
  transcript: Transcript = emptyTranscript();
  /** The seq that was there when this driver took the run: what is older was begun by somebody else. */
  readonly seqWhenTaken: number;
  /** The lease is gone, given back or taken away: nothing more is written. */
  isOver = false;
  /** Who has the file that the latest intent was refused for. */
  claimedBy: AppendResult["claimedBy"];
  /** The budget that it was refused for. */
  exceededBudget: AppendResult["exceeded"];
  /** This driver has brought the run further. */
  hasProgressed = false;
  /** When what is under way last gave a sign of life that is not written: a piece of an answer, a tool's output. */
  lastActivityAt = 0;

  private readonly parts: JournalParts;
  /** Of the runs that this one continues: their words come first. */
  private readonly before: readonly JournalEvent[];
  /** The last seq that the store has confirmed, and what was folded beyond it. */
  private confirmed = 0;
  /** The last seq that the latest decision rests on: a signal that came after it refuses what was decided. */
  private seen = 0;
  private ahead: string[] = [];
  private pending: Promise<void>[] = [];
  private failure: Error | undefined;
  /** While the disk is full, appends go in one after the other. */
  private line: Promise<void> | undefined;
  private readonly signal: AbortSignal;
  private saidFull = false;
  private diverged = false;

  private constructor(
    parts: JournalParts,
    lease: Lease,
    definition: Definition,
    journal: { before: JournalEvent[]; events: readonly JournalEvent[] },
    signal: AbortSignal,
  ) {
    this.signal = signal;
    this.before = journal.before;
    this.parts = parts;
    this.runId = lease.row.id;
    this.lease = lease;
    this.definition = definition;
    this.seqWhenTaken = lease.row.seq;
    this.fold(journal.events.filter((event) => event.seq <= lease.row.seq));
  }

  /** The run as its journal has it, for the driver that holds the lease. */
  static async load(lease: Lease, parts: JournalParts, signal: AbortSignal): Promise<RunJournal> {
    const definition = await loadDefinition(parts.store, lease.row.definition);
    const events = lease.events ?? (await parts.store.journal.read(lease.row.id));
    const before =
      events[0]?.type === "RUN_STARTED" ? await eventsBefore(parts.store, events[0].payload) : [];
    return new RunJournal(parts, lease, definition, { before, events }, signal);
  }

  /** What the next decision is made from. */
  async view(): Promise<RunView> {
    if (this.failure) throw this.failure;
    if (this.diverged) {
      await this.settle();
      await this.reload();
    }
    this.seen = this.confirmed;
    return { state: this.state, transcript: this.transcript, definition: this.definition };
  }

  /** Those that the runs which this one continues have started. */
  continuedChildren(): ChildRun[] {
    const children: ChildRuns = new Map();
    for (const event of this.before)
      if (event.type === "CHILD_RUN_STARTED") addChild(children, event.payload, event.ts);
    return [...children.values()];
  }

  /** Outcomes, and what else is a fact already. Masked here: what is folded is what will stand in the journal (A61). */
  record(...given: EventBody[]): void {
    const events = given.map((event) => this.parts.mask.value(event));
    if (events.some(isProgress)) this.hasProgressed = true;
    this.foldAhead(events);
    const sent = this.send({ events, after: this.confirmed }).then((answer) => {
      this.confirm(answer);
      if (answer.refused === "conflict") throw conflict(events);
    });
    this.pending.push(sent.catch((error: Error) => this.handInUnread(events, error)));
  }

  /** Intents. What is refused is not written, and what was missed is folded: decide again. */
  async begin(
    events: EventBody[],
    needs: Pick<Append, "reserve" | "spawn" | "claims" | "concurrent"> = {},
  ): Promise<Refusal | undefined> {
    return this.conditional({ events, guard: "signals", ...needs });
  }

  /** Gives the lease back, unless a signal came that is not folded yet. */
  async rest(events: EventBody[], wakeAt: number | undefined): Promise<void> {
    return this.restUntil(events, { wakeAt });
  }

  /** Intents of work. Only so many agents work in one workspace at a time: if no slot is free, the run waits for one (B4). */
  async beginWork(
    events: EventBody[],
    needs: Pick<Append, "reserve" | "claims"> = {},
  ): Promise<Refusal | undefined> {
    const refused = await this.begin(events, { ...needs, concurrent: this.parts.maxConcurrent });
    if (refused === "slots") await this.waitForSlot();
    return refused;
  }

  /** Rests until a slot is free. The journal says so once. */
  async waitForSlot(): Promise<void> {
    const { waitingOn, suspensions } = this.state;
    const { maxConcurrent } = this.parts;
    const detail = `As many agents are at work here as may be (${maxConcurrent}); it goes on when one is done.`;
    const payload = { waitingOn: { kind: "slot" as const, detail } };
    const suspended: EventBody = { type: "RUN_SUSPENDED", payload, key: `suspended/${suspensions + 1}` };
    const events = waitingOn?.kind === "slot" ? [] : [suspended];
    return this.restUntil(events, { wakeAt: undefined, queue: maxConcurrent });
  }

  /** The last event of the run. */
  async end(events: EventBody[]): Promise<void> {
    const refused = await this.conditional({ events, guard: "signals" });
    if (!refused) this.isOver = true;
  }

  /** Leaves a word in the journal about what went wrong here, if it can; the same `id` is said once. */
  async recordError(error: unknown, id = this.parts.ids.nonce()): Promise<void> {
    const { code, message } = toCadreError(error);
    const payload = { id, code, message, fatal: false };
    const { worker, epoch } = this.lease;
    const events: EventBody[] = [{ type: "SYSTEM_ERROR", payload }];
    const writer = { worker, epoch };
    await this.parts.store.journal
      .append({ runId: this.runId, writer, after: this.confirmed, events })
      .catch(() => {});
  }

  noteActivity(): void {
    this.lastActivityAt = this.parts.clock.now();
  }

  /** Gives the run back as it is: due at once, for another driver to go on. */
  async release(): Promise<void> {
    if (this.isOver) return;
    this.isOver = true;
    await Promise.allSettled(this.pending);
    await this.parts.store.leases.release(this.runId, this.lease);
  }

  private async restUntil(events: EventBody[], rest: NonNullable<Append["rest"]>): Promise<void> {
    const refused = await this.conditional({ events, guard: "signals", rest });
    if (!refused) this.isOver = true;
  }

  private async conditional(append: Sent): Promise<Refusal | undefined> {
    const sent = this.send({ ...append, after: this.seen });
    const [answer] = await Promise.all([sent, this.settle()]);
    const before = this.confirmed;
    this.confirm(answer);
    // F18: somebody else was faster with the same key, and their event is folded now; if there is none, it is a bug.
    if (answer.refused === "conflict" && this.confirmed === before && !this.diverged)
      throw conflict(append.events);
    if (this.diverged) await this.reload();
    this.claimedBy = answer.claimedBy;
    this.exceededBudget = answer.exceeded;
    return answer.refused;
  }

  /** F29: while the disk is full, what is known is kept here and handed in, in its order, when there is space again. */
  private async send(append: Sent & { after: number }): Promise<AppendResult> {
    const { worker, epoch } = this.lease;
    const whole = { runId: this.runId, writer: { worker, epoch }, ...append };
    if (this.line) return this.queue(whole);
    try {
      return await this.parts.store.journal.append(whole);
    } catch (error) {
      if (!isDiskFull(error) || this.signal.aborted) throw error;
      return this.queue(whole);
    }
  }

  /** Nothing overtakes an append that waits for the disk: a result would stand in the journal before its thought. */
  private queue(whole: Append): Promise<AppendResult> {
    const sent = (this.line ?? Promise.resolve()).then(() => this.handIn(whole));
    const line = sent.then(
      () => {
        if (this.line === line) this.line = undefined;
      },
      (error: Error) => this.fail(error),
    );
    this.line = line;
    return sent;
  }

  private async handIn(whole: Append): Promise<AppendResult> {
    if (this.failure) throw this.failure;
    for (let wait = FULL_DISK_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      try {
        return await this.parts.store.journal.append(whole);
      } catch (error) {
        if (!isDiskFull(error) || this.signal.aborted) throw error;
        this.sayOnce(error);
        await passes(wait, this.signal);
      }
    }
  }

  /** What has happened is told also where nobody here understands what came in between: another version goes on. */
  private async handInUnread(events: EventBody[], error: Error): Promise<void> {
    if (isNewer(error)) await this.send({ events, after: Number.MAX_SAFE_INTEGER }).catch(() => {});
    this.fail(error);
  }

  private sayOnce(error: unknown): void {
    if (this.saidFull) return;
    this.saidFull = true;
    this.parts.onProblem({ runId: this.runId, message: `Run ${this.runId} waits for the disk.`, error });
  }

  private async settle(): Promise<void> {
    const waiting = this.pending;
    this.pending = [];
    await Promise.all(waiting);
    if (this.failure) throw this.failure;
  }

  private fail(error: Error): void {
    this.failure ??= error;
  }

  private confirm({ events, refused }: AppendResult): void {
    if (refused === "epoch" || refused === "ended" || refused === "closed") this.isOver = true;
    for (const event of events) {
      if (event.seq <= this.confirmed) continue;
      this.confirmed = event.seq;
      if (this.diverged) continue;
      const expected = this.ahead.shift();
      if (expected === undefined) this.apply(event);
      else if (expected !== event.key) this.diverged = true;
    }
  }

  private async reload(): Promise<void> {
    this.diverged = false;
    this.ahead = [];
    this.confirmed = 0;
    this.fold(await this.parts.store.journal.read(this.runId));
  }

  private fold(events: readonly JournalEvent[]): void {
    this.state = emptyRunState();
    this.transcript = emptyTranscript();
    for (const event of this.before) {
      applyTranscript(this.transcript, event);
      trackTaint(this.state.taint, event);
    }
    for (const event of events) this.apply(event);
    this.confirmed = this.state.seq;
    this.seen = this.confirmed;
  }

  private foldAhead(events: readonly EventBody[]): void {
    const ts = this.parts.clock.now();
    for (const body of events) {
      const key = keyOf(body);
      this.ahead.push(key);
      const { runId } = this;
      const seq = this.state.seq + 1;
      this.apply({
        runId,
        seq,
        position: 0,
        ts,
        type: body.type,
        key,
        payload: body.payload,
      } as JournalEvent);
    }
  }

  private apply(event: JournalEvent): void {
    applyRunState(this.state, event);
    applyTranscript(this.transcript, event);
  }
}

function conflict(events: readonly EventBody[]): CadreError {
  const keys = events.map(keyOf).join(", ");
  return new CadreError("INTERNAL", `The journal has another event under ${keys}. The run is tried again.`);
}

const isDiskFull = (error: unknown): boolean => error instanceof CadreError && error.code === "STORAGE_FULL";

/** Resolves after a while, or at once when the process is to stop. */
function passes(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}

/** Definitions are shared by many runs and never change under their hash. */
const definitions = new Map<string, Definition>();
const MAX_DEFINITIONS = 500;

export async function loadDefinition(
  store: { blobs: Pick<Store["blobs"], "get"> },
  hash: string,
): Promise<Definition> {
  const known = definitions.get(hash);
  if (known) return known;
  const text = await store.blobs.get(hash);
  if (text === undefined)
    throw new CadreError(
      "JOURNAL_CORRUPT",
      `The agent's definition ${hash}, which this run has pinned, is missing from the store. Only runs of it are affected; restore a copy of the store, or begin a new run.`,
    );
  const definition = Definition.parse(JSON.parse(text));
  if (definitions.size >= MAX_DEFINITIONS) definitions.delete(definitions.keys().next().value!);
  definitions.set(hash, definition);
  return definition;
}
