// Calls the program's handlers for open requests. Open requests are in the store, so handlers get them again after a restart.

import { messageOf } from "../errors.ts";
import type { RunId } from "../ids.ts";
import type { JournalEvent } from "../journal/events.ts";
import type { RuntimeAssembly } from "../runtime/assembly.ts";
import type { JournalScope } from "../stores/store.ts";
import { type ApprovalRequest, openRequests } from "./approvals.ts";

/** Decides a request, or passes it on to a person. If the handler throws, the request stays open. */
export type ApprovalHandler = (request: ApprovalRequest) => unknown;

/**
 * Registers a handler for the tree of a run, or for all runs. Returns the function that removes it.
 * @internal
 */
export type HandleApprovals = (handler: ApprovalHandler, treeOf?: RunId) => Promise<() => void>;

/** @internal */
export interface ApprovalWatch {
  handle: HandleApprovals;
  /** A moment later, announces an open request of these runs, if the program has no handler and none was announced before. */
  noticeLater(scope: JournalScope): void;
  stop(): void;
}

interface Listener {
  handler: ApprovalHandler;
  root: RunId | undefined;
  /** The requests that the handler has been called for. */
  seen: Set<string>;
}

/** A program without handlers has this time to register one, before it is told that a run waits. */
const NOTICE_AFTER_MS = 1_000;

/**
 * `onUnheard` gets the first request for which the program has no handler. Without this notice, a program that awaits the run seems to hang.
 * @internal
 */
export function watchApprovals(
  assembly: RuntimeAssembly,
  onUnheard?: (request: ApprovalRequest) => void,
): ApprovalWatch {
  const { store, onProblem } = assembly;
  const listeners = new Set<Listener>();
  const timers = new Set<NodeJS.Timeout>();
  let isNoticed = false;

  const noticeLater = (scope: JournalScope): void => {
    if (onUnheard === undefined || isNoticed || listeners.size > 0) return;
    const look = async (): Promise<void> => {
      timers.delete(timer);
      const [request] = listeners.size > 0 ? [] : await openRequests(scope, assembly);
      if (request === undefined || isNoticed) return;
      isNoticed = true;
      onUnheard(request);
    };
    const timer = setTimeout(() => void look().catch(reportFailure), NOTICE_AFTER_MS);
    timers.add(timer);
  };

  const call = async ({ handler, seen }: Listener, request: ApprovalRequest): Promise<void> => {
    if (seen.has(request.id)) return;
    seen.add(request.id);
    try {
      await handler(request);
    } catch (error) {
      const isOpen = (await openRequests({ run: request.runId }, assembly)).some(
        ({ id }) => id === request.id,
      );
      const state = isOpen ? "stays open" : "is decided";
      const message = `A handler for approvals failed: ${messageOf(error)} The request of run ${request.runId} ${state}.`;
      onProblem({ message, error });
    }
  };

  const announce = async (scope: JournalScope, to: readonly Listener[]): Promise<void> => {
    const requests = await openRequests(scope, assembly);
    for (const request of requests) for (const listener of to) call(listener, request).catch(reportFailure);
  };

  const announceRun = async (runId: RunId): Promise<void> => {
    const root = (await store.runs.get(runId))?.rootRunId;
    const to = [...listeners].filter((listener) => listener.root === undefined || listener.root === root);
    if (to.length > 0) await announce({ run: runId }, to);
  };

  const reportFailure = (error: unknown): void =>
    onProblem({ message: "Open requests could not be read. Handlers for approvals were not called.", error });

  const stopWatching = store.journal.onCommit((events) => {
    const runs = new Set(events.filter(opensRequest).map(({ runId }) => runId));
    for (const runId of runs)
      if (listeners.size === 0) noticeLater({ run: runId });
      else announceRun(runId).catch(reportFailure);
  });

  return {
    async handle(handler, treeOf) {
      const root = treeOf === undefined ? undefined : (await store.runs.get(treeOf))?.rootRunId;
      const listener = { handler, root, seen: new Set<string>() };
      listeners.add(listener);
      announce(root === undefined ? {} : { root }, [listener]).catch(reportFailure);
      return () => void listeners.delete(listener);
    },
    noticeLater,
    stop() {
      for (const timer of timers) clearTimeout(timer);
      stopWatching();
    },
  };
}

const opensRequest = (event: JournalEvent): boolean =>
  event.type === "RUN_SUSPENDED" || (event.type === "TOOL_PROPOSED" && event.payload.verdict === "ask");
