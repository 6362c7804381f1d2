// The runtime of a program that embeds Cadre.
// The embedding process owns the store, like `cadre up` (E1). Commands in the folder are clients of that process.

import { createApp } from "../api/server/app.ts";
import { serveOnSocket } from "../api/server/socket.ts";
import { loadConfig, MEMORY_STORE } from "../config/config.ts";
import type { RunId } from "../ids.ts";
import type { Delta } from "../journal/deltas.ts";
import type { JournalEvent } from "../journal/events.ts";
import type { RunRequest } from "../loop/commands/admit.ts";
import type { ForkRequest } from "../loop/commands/fork.ts";
import type { PersonMessage } from "../loop/commands/messages.ts";
import { type ApprovalItem, openItems } from "../projections/folds/approvals.ts";
import type { RunRow } from "../projections/folds/run-row.ts";
import { runStateProjection } from "../projections/folds/run-state.ts";
import type { OnAgent } from "../projections/formats/agent-events.ts";
import { fold } from "../projections/projection.ts";
import { apiParts } from "./api-parts.ts";
import { type AssemblyOptions, assembleRuntime, type RuntimeAssembly, socketPath } from "./assembly.ts";
import { isFileStore, openOwnedRuntime } from "./owned-runtime.ts";

export type RuntimeOptions = Omit<AssemblyOptions, "store" | "clock" | "ids">;

/** The API for programs that embed Cadre. The functions in `commands.ts` act on the program's runs as a person would. */
export interface Runtime {
  /** The model for agents that choose no model themselves. If there is no API key, this is the scripted rehearsal model. */
  readonly defaultModel: string;
  /** Starts a run. Repeating the call with the same idempotency key starts no second run. */
  admit(request: RunRequest, idempotencyKey?: string): Promise<{ runId: RunId; existed: boolean }>;
  /** Sends a message to a main agent in a session. The message joins the session's active run, or starts the next run. */
  say(message: PersonMessage, idempotencyKey?: string): Promise<{ runId: RunId; joined: boolean }>;
  /** Starts a new run that continues where an ended run stopped. */
  retry(runId: RunId, idempotencyKey?: string, by?: string): Promise<{ runId: RunId }>;
  /** Starts a new root run that begins with another run's transcript, up to a chosen event. */
  fork(runId: RunId, request: ForkRequest, idempotencyKey?: string, by?: string): Promise<{ runId: RunId }>;
  /** Returns the current status, result and usage of a run. */
  run(runId: RunId): Promise<RunRow | undefined>;
  /** Returns all events of a run, in order. */
  journal(runId: RunId): Promise<JournalEvent[]>;
  /** Returns the items of a run that a person must decide: approvals, questions, unknown outcomes, used-up budgets. */
  openItems(runId: RunId): Promise<ApprovalItem[]>;
  /** Calls the listener with each event after it was committed. Returns the function that unsubscribes. */
  onEvents(listener: (events: readonly JournalEvent[]) => void): () => void;
  /** Calls the listener with pieces of text and output as they stream. These pieces are not recorded. */
  onDelta(listener: (delta: Delta) => void): () => void;
  /** Subscribes to the lifecycle of agents. Returns the function that unsubscribes. */
  on: OnAgent;
  /** Starts driving due runs, and starts answering commands in the folder. */
  start(): Promise<void>;
  /** Stops driving runs and closes the store. Steps in progress get a few seconds to finish; nothing is lost. */
  stop(): Promise<void>;
}

/** Creates a runtime. Throws STORE_OWNED if another process owns the store, for example `cadre up` or a second program. */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { folder, env = process.env, flags = {} } = options;
  const config = loadConfig({ folder, env, flags });
  if (!isFileStore(config) || config.store === MEMORY_STORE) return facadeOf(await assembleRuntime(options));
  const assembly = await openOwnedRuntime(options, REFUSAL);
  let served: { close(): Promise<void> } | undefined;
  return facadeOf({
    ...assembly,
    async start() {
      served = await serveOnSocket(createApp(apiParts(assembly, true, env)), socketPath(config.dir));
      await assembly.start();
    },
    async stop() {
      await served?.close();
      await assembly.stop();
    },
  });
}

const REFUSAL =
  "Nothing was opened. Stop that process first, or use its API or Cadre's commands in this folder.";

const assemblies = new WeakMap<Runtime, RuntimeAssembly>();

function facadeOf(assembly: RuntimeAssembly): Runtime {
  const { defaultModel, admit, say, retry, fork, onDelta, on, start, stop, store } = assembly;
  const journal = (runId: RunId): Promise<JournalEvent[]> => store.journal.read(runId);
  const runtime: Runtime = {
    ...{ defaultModel, admit, say, retry, fork, journal, onDelta, on, start, stop },
    run: (runId) => store.runs.get(runId),
    async openItems(runId) {
      const open = new Set((await store.inbox.openItems({ run: runId })).map(({ itemId }) => itemId));
      return openItems(fold(runStateProjection, await journal(runId))).filter(({ itemId }) =>
        open.has(itemId),
      );
    },
    onEvents: (listener) => store.journal.onCommit((events) => listener(events)),
  };
  assemblies.set(runtime, assembly);
  return runtime;
}

/** Returns the internal assembly of a runtime, for the functions of the public API. */
export function assemblyOf(runtime: Runtime): RuntimeAssembly {
  const assembly = assemblies.get(runtime);
  if (!assembly) throw new TypeError("This is not a runtime that createRuntime returned.");
  return assembly;
}
