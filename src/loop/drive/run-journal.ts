// One run while this process drives it: the lease, the fold of the journal, and three ways to write to the journal.
// This class enforces the rules L1, L3 and L4 of `drive.ts`.
// Recorded events are folded and queued immediately, and committed together with the next intent.
// If another writer's event gets into the journal before the queued events, the journal is folded again from the start.

import { CadreError, toCadreError } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import { Definition } from "../../journal/definition.ts";
import {
  type EventBody,
  type Fork,
  isProgress,
  type JournalEvent,
  keyOf,
  type Payload,
  type WaitingOn,
} from "../../journal/events.ts";
import { maskEvent } from "../../journal/masking/mask.ts";
import { isNewer } from "../../journal/upcast.ts";
import { addChild, type ChildRun, type ChildRuns } from "../../projections/folds/child-runs.ts";
import {
  applyRunState,
  emptyRunState,
  type RunState,
  trackToldFiles,
} from "../../projections/folds/run-state.ts";
import { trackTaint } from "../../projections/folds/taint.ts";
import { applyTranscript, emptyTranscript, type Transcript } from "../../projections/folds/transcript.ts";
import { SizedCache } from "../../sized-cache.ts";
import type { Append, AppendResult, Lease, Refusal, Store } from "../../stores/store.ts";
import type { LoopParts } from "../parts.ts";
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
  /** The last seq when this driver took the run. Events up to this seq were written before this drive. */
  readonly seqWhenTaken: number;
  /** True once the lease was released or lost. After that, nothing more is written. */
  isOver = false;
  /** The run that has claimed a file, if the store refused the latest intent because of that claim. */
  claimedBy: AppendResult["claimedBy"];
  /** The exceeded budget, if the latest intent was refused because of a budget. */
  exceededBudget: AppendResult["exceeded"];
  /** True once this driver has recorded an outcome. */
  hasProgressed = false;
  /** Time of the last sign of life that is not in the journal, such as part of an answer or a tool's output. */
  lastActivityAt = 0;

  private readonly parts: JournalParts;
  /** Events of the runs that this run continues. They come first in the transcript. */
  private readonly before: readonly JournalEvent[];
  /** The last seq that the store has confirmed. */
  private confirmed = 0;
  /** The last seq that the latest decision has seen. If a signal was appended since, the store refuses the events of that decision. */
  private decidedAt = 0;
  private expectedKeys: string[] = [];
  private pending: Promise<void>[] = [];
  private failure: Error | undefined;
  /** Queue of the appends that wait while the disk is full. They are sent one after the other. */
  private line: Promise<void> | undefined;
  private readonly signal: AbortSignal;
  private hasReportedFullDisk = false;
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

  /** Loads the run for the driver that has taken its lease. */
  static async load(lease: Lease, parts: JournalParts, signal: AbortSignal): Promise<RunJournal> {
    const definition = await loadDefinition(parts.store, lease.row.definition);
    const events = lease.events ?? (await parts.store.journal.read(lease.row.id));
    const before =
      events[0]?.type === "RUN_STARTED" ? await eventsBefore(parts.store, events[0].payload) : [];
    try {
      return new RunJournal(parts, lease, definition, { before, events }, signal);
    } catch (error) {
      // The fold is pure, so it would fail every time.
      throw new CadreError(
        "JOURNAL_CORRUPT",
        `The journal of run ${lease.row.id} has a shape that this version of Cadre cannot read. The run is quarantined; the others continue.`,
        undefined,
        error,
      );
    }
  }

  async view(): Promise<RunView> {
    if (this.failure) throw this.failure;
    if (this.diverged) {
      await this.settle();
      await this.reload();
    }
    this.decidedAt = this.confirmed;
    return { state: this.state, transcript: this.transcript, definition: this.definition };
  }

  /** Children of the runs that this run continues. */
  continuedChildren(): ChildRun[] {
    const children: ChildRuns = new Map();
    for (const event of this.before)
      if (event.type === "CHILD_RUN_STARTED") addChild(children, event.payload, event.ts);
    return [...children.values()];
  }

  /** Records outcomes and other facts. They are masked first, so that the fold sees the same text as the journal (A61). */
  record(...given: EventBody[]): void {
    this.recordAll(given);
  }

  /** Records an outcome, and calls `afterwards` once it is stored. */
  recordThen(given: EventBody, afterwards: () => unknown): void {
    this.recordAll([given], afterwards);
  }

  private recordAll(given: readonly EventBody[], afterwards?: () => unknown): void {
    const events = given.map((event) => maskEvent(event, this.parts.mask));
    if (events.some(isProgress)) this.hasProgressed = true;
    this.foldAhead(events);
    const sent = this.send({ events, after: this.confirmed }).then((answer) => {
      this.confirm(answer);
      if (answer.refused === "conflict") throw conflict(events);
      if (!answer.refused) afterwards?.();
    });
    this.pending.push(sent.catch((error: Error) => this.appendUnread(events, error)));
  }

  /** Appends intents. If the store refuses them, nothing is written. The missed events are folded, and the caller decides again. */
  async begin(
    events: EventBody[],
    needs: Pick<Append, "reserve" | "spawn" | "claims" | "concurrent"> = {},
  ): Promise<Refusal | undefined> {
    return this.conditional({ events, guard: "signals", ...needs });
  }

  /** Releases the lease. If a signal has arrived that is not yet folded, the lease is kept. */
  async rest(
    events: EventBody[],
    wakeAt: number | undefined,
    needs: Pick<NonNullable<Append["rest"]>, "queue"> = {},
  ): Promise<void> {
    const refused = await this.conditional({ events, guard: "signals", rest: { wakeAt, ...needs } });
    if (!refused) this.isOver = true;
  }

  /** Records what the run waits for, and releases the lease. */
  async suspend(waitingOn: WaitingOn, wakeAt: number | undefined): Promise<void> {
    return this.rest([this.suspendedEvent(waitingOn)], wakeAt);
  }

  suspendedEvent(waitingOn: WaitingOn): EventBody {
    const key = `suspended/${this.state.suspensions + 1}`;
    return { type: "RUN_SUSPENDED", payload: { waitingOn }, key };
  }

  /** Appends intents to start work. If every slot of the workspace is taken, the run waits for a free slot (B4). */
  async beginWork(
    events: EventBody[],
    needs: Pick<Append, "reserve" | "claims"> = {},
  ): Promise<Refusal | undefined> {
    const refused = await this.begin(events, { ...needs, concurrent: this.parts.maxConcurrent });
    if (refused === "slots") await this.waitForSlot();
    return refused;
  }

  /** Lets the run rest until a slot is free. The wait is recorded only once, however often the run asks. */
  async waitForSlot(): Promise<void> {
    const { maxConcurrent } = this.parts;
    const detail = `All ${maxConcurrent} slots of this workspace are taken. The run continues when one is free.`;
    const isKnown = this.state.waitingOn?.kind === "slot";
    const events = isKnown ? [] : [this.suspendedEvent({ kind: "slot", detail })];
    return this.rest(events, undefined, { queue: maxConcurrent });
  }

  async end(events: EventBody[]): Promise<void> {
    if (!(await this.begin(events))) this.isOver = true;
  }

  /** Records a failure of this process in the journal, if possible. Each `id` is recorded once. */
  async recordError(error: unknown, id = this.parts.ids.nonce()): Promise<void> {
    const { code, message } = toCadreError(error);
    const payload = { id, code, message, fatal: false };
    const event: EventBody = { type: "SYSTEM_ERROR", payload };
    const append = this.withWriter({ events: [event], after: this.confirmed });
    await this.parts.store.journal.append(append).catch(() => {});
  }

  noteActivity(): void {
    this.lastActivityAt = this.parts.clock.now();
  }

  /** Releases the run without changing it. Another driver can take it immediately. */
  async release(): Promise<void> {
    if (this.isOver) return;
    this.isOver = true;
    await Promise.allSettled(this.pending);
    await this.parts.store.leases.release(this.runId, this.lease);
  }

  private async conditional(append: Sent): Promise<Refusal | undefined> {
    const sent = this.send({ ...append, after: this.decidedAt });
    const [answer] = await Promise.all([sent, this.settle()]);
    const before = this.confirmed;
    this.confirm(answer);
    // F18: another writer used the same key first, and its event is folded now. If no such event exists, there is a bug.
    if (answer.refused === "conflict" && this.confirmed === before && !this.diverged)
      throw conflict(append.events);
    if (this.diverged) await this.reload();
    this.claimedBy = answer.claimedBy;
    this.exceededBudget = answer.exceeded;
    return answer.refused;
  }

  /** F29: while the disk is full, events are kept in memory and appended in order once there is space. */
  private async send(append: Sent & { after: number }): Promise<AppendResult> {
    const whole = this.withWriter(append);
    if (this.line) return this.queue(whole);
    try {
      return await this.parts.store.journal.append(whole);
    } catch (error) {
      if (!isDiskFull(error) || this.signal.aborted) throw error;
      return this.queue(whole);
    }
  }

  private withWriter(append: Sent & { after: number }): Append {
    const { worker, epoch } = this.lease;
    return { runId: this.runId, writer: { worker, epoch }, ...append };
  }

  /** Queues an append behind the appends that wait for the disk, because a tool result must not precede the model's answer. */
  private queue(whole: Append): Promise<AppendResult> {
    const sent = (this.line ?? Promise.resolve()).then(() => this.appendWhenSpace(whole));
    const line = sent.then(
      () => {
        if (this.line === line) this.line = undefined;
      },
      (error: Error) => this.fail(error),
    );
    this.line = line;
    return sent;
  }

  private async appendWhenSpace(whole: Append): Promise<AppendResult> {
    if (this.failure) throw this.failure;
    for (let wait = FULL_DISK_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      try {
        return await this.parts.store.journal.append(whole);
      } catch (error) {
        if (!isDiskFull(error) || this.signal.aborted) throw error;
        this.reportFullDisk(error);
        await waitOrAbort(wait, this.signal);
      }
    }
  }

  /** Appends outcomes even if a newer Cadre version wrote events that this version cannot read. The newer version continues the run. */
  private async appendUnread(events: EventBody[], error: Error): Promise<void> {
    if (isNewer(error)) await this.send({ events, after: Number.MAX_SAFE_INTEGER }).catch(() => {});
    this.fail(error);
  }

  private reportFullDisk(error: unknown): void {
    if (this.hasReportedFullDisk) return;
    this.hasReportedFullDisk = true;
    this.parts.onProblem({ runId: this.runId, message: `Run ${this.runId} waits for the disk.`, error });
  }

  /** Waits until everything recorded so far is stored. */
  async settle(): Promise<void> {
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
      const expected = this.expectedKeys.shift();
      if (expected === undefined) this.apply(event);
      else if (expected !== event.key) this.diverged = true;
    }
  }

  private async reload(): Promise<void> {
    this.diverged = false;
    this.expectedKeys = [];
    this.confirmed = 0;
    this.fold(await this.parts.store.journal.read(this.runId));
  }

  private fold(events: readonly JournalEvent[]): void {
    this.state = emptyRunState();
    this.transcript = emptyTranscript();
    for (const event of this.before) {
      applyTranscript(this.transcript, event);
      trackTaint(this.state.taint, event);
      trackToldFiles(this.state, event);
    }
    for (const event of events) this.apply(event);
    this.confirmed = this.state.seq;
    this.decidedAt = this.confirmed;
  }

  private foldAhead(events: readonly EventBody[]): void {
    const ts = this.parts.clock.now();
    for (const body of events) {
      const key = keyOf(body);
      this.expectedKeys.push(key);
      const { runId, state } = this;
      this.apply({ ...body, runId, seq: state.seq + 1, position: 0, ts, key } as JournalEvent);
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

/** Resolves after the given time, or as soon as the process stops. */
function waitOrAbort(ms: number, signal: AbortSignal): Promise<void> {
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

/** Caches definitions by their hash, with at most this many characters in all. Many runs share a definition, and the definition of a hash never changes. */
const definitions = new SizedCache<string, Definition>(16_000_000);

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
  const definition = parseDefinition(text, hash);
  definitions.set(hash, definition, text.length);
  return definition;
}

function parseDefinition(text: string, hash: string): Definition {
  try {
    return Definition.parse(JSON.parse(text));
  } catch (error) {
    throw new CadreError(
      "JOURNAL_CORRUPT",
      `The agent's definition ${hash}, which this run has pinned, has a shape that this version of Cadre cannot read. Only runs of it are affected; begin a new run.`,
      undefined,
      error,
    );
  }
}

/** A session can last for years, but a chain longer than this means a bug or a damaged database. */
const LONGEST_CHAIN = 10_000;

/**
 * The events of the runs that a run continues, oldest first. The run's transcript begins with these events. Its own journal does not repeat them.
 * The run inherits nothing else: no usage, no approvals, no grants.
 */
export async function eventsBefore(
  store: { journal: Pick<Store["journal"], "read" | "head"> },
  start: Payload<"RUN_STARTED">,
): Promise<JournalEvent[]> {
  const chain: JournalEvent[][] = [];
  let { continues, fork } = start;
  while (continues) {
    if (chain.length >= LONGEST_CHAIN)
      throw new CadreError(
        "JOURNAL_CORRUPT",
        "This run continues too many others to be read. Nothing was changed; begin a new one.",
      );
    const there = await store.journal.head(continues.runId, continues.seq);
    if (there?.hash !== continues.hash) throw continuedRunMissing(continues.runId);
    const events = await store.journal.read(continues.runId, 0, continues.seq);
    chain.unshift([...events, ...(await laterChildEnds(store, continues.runId, fork))]);
    const first = events[0];
    ({ continues, fork } = first?.type === "RUN_STARTED" ? first.payload : NO_PREDECESSOR);
  }
  return chain.flat();
}

const NO_PREDECESSOR: Pick<Payload<"RUN_STARTED">, "continues" | "fork"> = {};

/** Reads the ends of children that are later than the fork point. The fork's RUN_STARTED lists them in `heard`. */
async function laterChildEnds(
  store: { journal: Pick<Store["journal"], "read"> },
  runId: RunId,
  { heard = [] }: Pick<Fork, "heard"> = {},
): Promise<JournalEvent[]> {
  const found = await Promise.all(heard.map((seq) => store.journal.read(runId, seq - 1, 1)));
  return found.flat();
}

export const continuedRunMissing = (runId: RunId): CadreError =>
  new CadreError(
    "JOURNAL_CORRUPT",
    `Run ${runId}, which this one continues, is not there as it was, so it cannot go on. Nothing was changed; \`cadre verify ${runId}\` says more, and a new run begins anew.`,
  );
