// A handle to a run. It can be awaited for the answer, now or after a restart.

import { runNotFound } from "../errors.ts";
import type { RunId } from "../ids.ts";
import type { JournalEvent, ResultEnvelope, StopReason } from "../journal/events.ts";
import { TERMINAL_TYPES } from "../journal/events.ts";
import type { ForkRequest } from "../loop/commands/fork.ts";
import { sendMessage } from "../loop/commands/messages.ts";
import * as commands from "../loop/commands/person-commands.ts";
import type { RunRow } from "../projections/folds/run-row.ts";
import type { RuntimeAssembly } from "../runtime/assembly.ts";
import { type ApprovalRequest, openRequests } from "./approvals.ts";
import type { ApprovalHandler, HandleApprovals } from "./handle-approvals.ts";
import { requireTexts } from "./require-texts.ts";
import { RunFailed } from "./run-failed.ts";
import type { ReadSchema } from "./schema.ts";
import { type RunPart, streamTree } from "./stream.ts";

export interface RunResult<Output> {
  id: string;
  /** The answer: a value of the agent's output schema, or text if the agent has no schema. */
  output: Output;
  /** The agent's own words. */
  text: string;
  /** Tokens and dollars of the run and all runs below it. `cost` is null if a price is unknown. */
  usage: { input: number; output: number; cacheRead?: number | undefined; cacheWrite?: number | undefined };
  cost: number | null;
  /** Everything that the run reported: files, warnings, suggestions, tests. */
  report: ResultEnvelope;
}

export interface RunStatus {
  id: string;
  agent: string;
  task: string;
  status: RunRow["status"];
  /** Why the run waits. */
  waitingOn: RunRow["waitingOn"];
  stopReason: StopReason | undefined;
  turns: number;
  /** Cost in US dollars so far, without the runs below. */
  cost: number;
  startedAt: Date;
  endedAt: Date | undefined;
}

export interface Run<Output> extends PromiseLike<RunResult<Output>> {
  /** Resolves when the run is recorded. From then on it survives a crash. */
  readonly id: Promise<string>;
  /** The answer. Rejects with RunFailed. `await run` is the same. */
  readonly result: Promise<RunResult<Output>>;
  /** Everything that happens in the run and in the runs below it, from the start. */
  readonly stream: AsyncIterable<RunPart>;
  /**
   * The text of the run's own agent, piece by piece, and without the runs below it. A blank line separates turns.
   * If a model call fails and is tried again, its text begins again after a blank line; `stream` shows attempts apart.
   */
  readonly textStream: AsyncIterable<string>;
  status(): Promise<RunStatus>;
  /** The open requests of the run and of all runs below it. */
  approvals(): Promise<ApprovalRequest[]>;
  /** Calls the handler once for each request of the run and of the runs below it, also for those that are already open. */
  onApproval(handler: ApprovalHandler): this;
  /** Sends a message. The agent reads it before its next turn. */
  message(text: string, options?: { from?: string; key?: string }): Promise<void>;
  cancel(reason?: string, options?: { by?: string }): Promise<void>;
  pause(options?: { by?: string }): Promise<void>;
  resume(options?: { by?: string }): Promise<void>;
  /** Starts a new run that begins as this one, up to event `seq`. Returns its handle. */
  fork(request?: ForkRequest): Run<Output>;
  /** Starts a new run that continues this run after it failed. Returns its handle. */
  retry(): Run<Output>;
  /** All events of the run itself. */
  journal(): Promise<readonly JournalEvent[]>;
}

/** @internal */
export interface RunParts {
  assembly: RuntimeAssembly;
  /** Aborted when Cadre closes. */
  closed: AbortSignal;
  handleApprovals: HandleApprovals;
  /** Tells the program that a run which it awaits waits for a person, if the program has no handler. */
  noticeLater(scope: { root: RunId }): void;
}

const PROGRAM = "program";

/**
 * `started` gives the id of the run as soon as it is recorded.
 * @internal
 */
export function runHandle<Output>(
  started: Promise<RunId>,
  schema: ReadSchema | undefined,
  parts: RunParts,
): Run<Output> {
  const { assembly, closed, handleApprovals } = parts;
  const { people, store } = assembly;
  let result: Promise<RunResult<Output>> | undefined;
  const resultOf = (): Promise<RunResult<Output>> => {
    result ??= started.then((id) => awaitResult<Output>(id, schema, parts));
    return result;
  };
  const run: Run<Output> = {
    id: started,
    get result() {
      return resultOf();
    },
    // biome-ignore lint/suspicious/noThenProperty: `await run` gives the answer
    then: (onResult, onError) => resultOf().then(onResult, onError),
    get stream() {
      return (async function* () {
        const { id } = await requireRow(await started, store);
        yield* streamTree(id, assembly, closed);
      })();
    },
    get textStream() {
      return textOf(run);
    },
    status: async () => statusOf(await requireRow(await started, store)),
    approvals: async () => openRequests({ root: await rootOf(await started, store) }, assembly),
    onApproval(handler) {
      started.then(
        (id) => handleApprovals(handler, id),
        () => {}, // The person who awaits the run gets the error.
      );
      return run;
    },
    async message(text, { from = PROGRAM, key } = {}) {
      requireTexts({ text, from });
      await sendMessage(await started, text, from, people, key);
    },
    async cancel(reason, { by = PROGRAM } = {}) {
      requireTexts({ reason, by });
      await commands.cancelRun(await started, by, reason, people);
    },
    pause: async ({ by = PROGRAM } = {}) => commands.pauseRun(await started, by, people),
    resume: async ({ by = PROGRAM } = {}) => commands.resumeRun(await started, by, people),
    fork: (request = {}) =>
      runHandle(
        started.then(async (id) => (await assembly.fork(id, request, undefined, PROGRAM)).runId),
        schema,
        parts,
      ),
    retry: () =>
      runHandle(
        started.then(async (id) => (await assembly.retry(id, undefined, PROGRAM)).runId),
        schema,
        parts,
      ),
    async journal() {
      const { id } = await requireRow(await started, store);
      return store.journal.read(id);
    },
  };
  return run;
}

/** A text that was not seen live comes as one piece. */
async function* textOf({ id, stream }: Pick<Run<unknown>, "id" | "stream">): AsyncGenerator<string> {
  const root = await id;
  const live = new Set<string>();
  let previous: string | undefined;
  for await (const part of stream) {
    if (part.runId !== root || (part.type !== "text-delta" && part.type !== "text")) continue;
    const { type, turnId, text } = part;
    if (type === "text" && live.has(turnId)) continue;
    if (type === "text-delta") live.add(turnId);
    const current = type === "text-delta" ? `${turnId}~${part.attempt}` : turnId;
    yield previous === undefined || previous === current ? text : `\n\n${text}`;
    previous = current;
  }
}

/** Cadre was closed, or is closing. The run continues when the store is opened again. */
export class CadreClosed extends Error {
  override readonly name = "CadreClosed";
  constructor(runId: RunId) {
    super(
      `Cadre was closed while run ${runId} was under way. Nothing is lost: it goes on at the next start, and \`cadre.get("${runId}")\` gives its handle.`,
    );
  }
}

async function awaitResult<Output>(
  runId: RunId,
  schema: ReadSchema | undefined,
  { assembly, closed, noticeLater }: RunParts,
): Promise<RunResult<Output>> {
  noticeLater({ root: runId });
  const event = await endOf(runId, assembly.store, closed);
  if (event.type !== "RUN_COMPLETED") throw failureOf(event);
  const { result, summary, tree } = event.payload;
  const row = await requireRow(runId, assembly.store);
  const { cost, unpriced, input, output, cacheRead, cacheWrite } = row.usage;
  return {
    id: runId,
    output: outputOf(event, schema) as Output,
    text: summary,
    usage: tree?.usage ?? { input, output, cacheRead, cacheWrite },
    cost: tree ? tree.cost : unpriced > 0 ? null : cost,
    report: result,
  };
}

type Store = RuntimeAssembly["store"];
type EndEvent = Extract<
  JournalEvent,
  { type: "RUN_COMPLETED" | "RUN_FAILED" | "RUN_CANCELLED" | "RUN_MOVED" }
>;

const isEnd = (event: JournalEvent): event is EndEvent => TERMINAL_TYPES.has(event.type);

/** Waits for the last event of a run. The commits are watched before the store is asked, so no end is missed. */
function endOf(runId: RunId, store: Store, closed: AbortSignal): Promise<EndEvent> {
  return new Promise((resolve, reject) => {
    const stop = store.journal.onCommit((events) => {
      const end = events.find((event): event is EndEvent => event.runId === runId && isEnd(event));
      if (end) settle(() => resolve(end));
    });
    const onClose = (): void => settle(() => reject(new CadreClosed(runId)));
    const settle = (finish: () => void): void => {
      stop();
      closed.removeEventListener("abort", onClose);
      finish();
    };
    closed.addEventListener("abort", onClose, { once: true });
    if (closed.aborted) return onClose();
    readEnd(runId, store).then(
      (end) => end && settle(() => resolve(end)),
      (error: unknown) => settle(() => reject(error)),
    );
  });
}

async function readEnd(runId: RunId, store: Store): Promise<EndEvent | undefined> {
  const row = await requireRow(runId, store);
  if (row.endedAt === undefined) return undefined;
  const last = (await store.journal.read(runId)).findLast(isEnd);
  return last;
}

function failureOf(event: Exclude<EndEvent, { type: "RUN_COMPLETED" }>): RunFailed {
  const { runId } = event;
  if (event.type === "RUN_MOVED") {
    const message = "The run was moved to another store, where it continues.";
    return new RunFailed({ runId, status: "failed", stopReason: "moved", result: undefined, message });
  }
  const { stopReason, summary, result } = event.payload;
  const status = event.type === "RUN_CANCELLED" ? "cancelled" : "failed";
  return new RunFailed({ runId, status, stopReason, result, message: summary });
}

/** Checks the answer with the program's output schema. Some of its rules cannot be written as JSON Schema, so only this check applies them. */
function outputOf(
  event: Extract<EndEvent, { type: "RUN_COMPLETED" }>,
  schema: ReadSchema | undefined,
): unknown {
  const { runId, payload } = event;
  const { output = payload.output } = payload.result;
  if (!schema) return output ?? payload.summary;
  const checked = schema.check(output);
  if ("value" in checked) return checked.value;
  throw new RunFailed({
    ...{ runId, status: "failed", stopReason: "invalid_output", result: payload.result },
    message: `The answer does not fit the output schema: ${checked.problem}.`,
  });
}

async function requireRow(runId: RunId, store: Store): Promise<RunRow> {
  const row = await store.runs.get(runId);
  if (!row) throw runNotFound(runId);
  return row;
}

const rootOf = async (runId: RunId, store: Store): Promise<RunId> =>
  (await requireRow(runId, store)).rootRunId;

/** @internal */
export function statusOf(row: RunRow): RunStatus {
  const { id, agent, task, status, waitingOn, stopReason, turns, usage, createdAt, startedAt, endedAt } = row;
  return {
    ...{ id, agent, task, status, waitingOn, stopReason, turns, cost: usage.cost },
    startedAt: new Date(startedAt ?? createdAt),
    endedAt: endedAt === undefined ? undefined : new Date(endedAt),
  };
}
