// The log of a server or worker: one line of JSON on stderr per event, for journald, Docker or a file.
// The log is not used at a terminal, where only problems are printed, as sentences.
//  G7  An event is always one line, whatever names it contains (A68). It contains no secrets and no content of runs.
//      Events that outsiders can cause are rate-limited. The next logged event says how many events were dropped.

import type { CadreClient } from "../../api/client/client.ts";
import type { ApiParts } from "../../api/parts.ts";
import type { Refusal } from "../../api/server/door.ts";
import { CadreError, messageOf } from "../../errors.ts";
import { TERMINAL_TYPES } from "../../journal/events.ts";
import type { Mask } from "../../journal/masking/mask.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import type { AssemblyOptions } from "../../runtime/assembly.ts";
import { unfinishedRuns } from "../follow/unfinished-runs.ts";
import { jsonLine } from "../view/text/plain.ts";

export type LogEvent = "started" | "run_ended" | "refused" | "problem" | "recovered" | "stopping" | "stopped";

export interface ServerLog {
  started(client: CadreClient, url: string): Promise<void>;
  log(event: LogEvent, fields?: Record<string, unknown>): void;
  problem: NonNullable<AssemblyOptions["onProblem"]>;
  recovered(message: string): void;
  /** Starts to mask the project's secrets and to log the ends of runs. */
  attach(parts: Pick<ApiParts, "store" | "people">): void;
  refused(refusal: Refusal): void;
}

const LEVELS: Record<LogEvent, "info" | "warn" | "error"> = {
  started: "info",
  run_ended: "info",
  refused: "warn",
  problem: "error",
  recovered: "info",
  stopping: "info",
  stopped: "info",
};

/** The most lines per minute for each rate-limited kind of event. */
const MOST = 20;
const MINUTE_MS = 60_000;
const BOUNDED = new Set<LogEvent>(["refused", "problem"]);

export function createServerLog(write: (line: string) => void, now: () => number = Date.now): ServerLog {
  const limit = createLimiter(now);
  let mask: Pick<Mask, "value"> = { value: (value) => value };
  const tell = (event: LogEvent, fields: Record<string, unknown> = {}): void => {
    const leftOut = BOUNDED.has(event) ? limit(event) : 0;
    if (leftOut === undefined) return;
    const line = { time: new Date(now()).toISOString(), level: LEVELS[event], event, ...fields };
    write(`${jsonLine(mask.value({ ...line, ...(leftOut > 0 ? { leftOut } : {}) }))}\n`);
  };
  return {
    log: tell,
    async started(client, url) {
      const { version, pid, folder, storeId, model } = await client.get("/api/health");
      const left = await unfinishedRuns(client);
      tell("started", { url, version, pid, folder, storeId, model, unfinished: left.length });
    },
    problem: ({ runId, message, error }) =>
      tell("problem", {
        message,
        ...(runId === undefined ? {} : { runId }),
        ...(error instanceof CadreError ? { code: error.code } : {}),
        error: messageOf(error),
        // A stack is logged only for an unforeseen error, to show where it happened.
        ...(error instanceof Error && !(error instanceof CadreError) ? { stack: error.stack } : {}),
      }),
    recovered: (message) => tell("recovered", { message }),
    attach({ store, people }) {
      ({ mask } = people);
      store.journal.onCommit((events) => {
        for (const { type, runId } of events) {
          if (!TERMINAL_TYPES.has(type)) continue;
          store.runs.get(runId).then(
            (row) => row && tell("run_ended", endOf(row)),
            () => tell("run_ended", { runId }),
          );
        }
      });
    },
    refused: (refusal) => tell("refused", { ...refusal }),
  };
}

/** Creates a rate limiter. It returns undefined to drop an event, or else the number of events dropped since the last logged event. */
function createLimiter(now: () => number): (event: LogEvent) => number | undefined {
  const seen = new Map<LogEvent, { since: number; told: number; leftOut: number }>();
  return (event) => {
    const known = seen.get(event);
    if (!known || now() - known.since >= MINUTE_MS) {
      seen.set(event, { since: now(), told: 1, leftOut: 0 });
      return known?.leftOut ?? 0;
    }
    if (known.told < MOST) {
      known.told++;
      return 0;
    }
    known.leftOut++;
    return undefined;
  };
}

/** Returns the agent, the status and the usage of a run, but none of its content. */
function endOf({ id, rootRunId, agent, status, stopReason, usage, createdAt, endedAt }: RunRow) {
  const { cost, modelCalls, toolCalls } = usage;
  return {
    runId: id,
    rootRunId,
    agent,
    status,
    stopReason,
    ms: (endedAt ?? createdAt) - createdAt,
    ...{ modelCalls, toolCalls, cost },
  };
}
