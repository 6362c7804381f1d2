// Tracks a run between two events: what it is doing, for how long, and its latest output.

import type { JournalEvent } from "../../../journal/events.ts";
import type { RunState } from "../../../projections/folds/run-state.ts";
import { summarizeTodos } from "../../../projections/folds/todos.ts";
import { describeCall } from "../../../projections/views/timeline.ts";
import { elapsed, plural } from "../../../projections/words/format.ts";
import { waitText } from "../../../projections/words/waits.ts";
import { plainLine } from "../text/plain.ts";

/** The current activity of a run. `ms` and `time` contain the time passed. If `isCountdown` is set, they contain the time left. */
interface CurrentActivity {
  what: string;
  ms: number;
  isCountdown: boolean;
  time: string;
  output: string;
}

export interface Activity {
  event(event: JournalEvent, calls: ReadonlyMap<string, { tool: string; input: unknown }>): void;
  /** Adds a piece of the output of the run's tool or model. */
  output(piece: string): void;
  /** Returns undefined if the run has ended or waits for a person. */
  now(at: number): CurrentActivity | undefined;
}

export function createActivity(state: RunState): Activity {
  let what: string | undefined;
  let since = 0;
  let until: number | undefined;
  let output = "";
  const set = (text: string | undefined, ts: number): void => {
    [what, since, until, output] = [text, ts, undefined, ""];
  };
  return {
    event(event, calls) {
      const { ts } = event;
      if (event.type === "MODEL_CALL_STARTED") set("thinking", ts);
      else if (event.type === "TOOL_STARTED") {
        const call = calls.get(event.payload.toolCallId);
        set(call ? plainLine(describeCall(call.tool, call.input)) : "working", ts);
      } else if (event.type === "AGENT_THOUGHT" || event.type === "TOOL_RESULT") set("working", ts);
      else if (state.end || state.status === "suspended") set(undefined, ts);
      else if (state.status === "waiting") {
        set(waitingText(state), ts);
        until = state.waitingOn?.until;
      } else if (event.type === "CHILD_RUN_COMPLETED" || event.type === "RUN_RESUMED") set("working", ts);
    },
    output(piece) {
      output = (output + piece).slice(-KEPT);
    },
    now(at) {
      if (what === undefined) return undefined;
      const isCountdown = until !== undefined;
      const ms = isCountdown ? until! - at : at - since;
      const time = isCountdown ? `${elapsed(ms)} left` : elapsed(ms);
      return { what, ms, isCountdown, time, output: latestLine(output) };
    },
  };
}

/** Number of the next attempt after a failed model call. */
export const nextAttempt = ({ failedCall }: RunState): number => (failedCall?.attempt ?? 1) + 1;

/** Says which turn the run is in, for example `turn 3/20`. */
export const turnText = ({ turns, openModelCall, start }: RunState): string =>
  `turn ${turns + (openModelCall ? 1 : 0)}/${start?.limits.maxTurns ?? "?"}`;

/** Describes the progress of the run's to-do list. Returns an empty text if the run has no list. */
export const todoText = ({ todos }: RunState): string =>
  todos.length === 0 ? "" : plainLine(summarizeTodos(todos));

const KEPT = 400;
const LONGEST = 60;

function latestLine(text: string): string {
  const line = plainLine(
    text
      .trimEnd()
      .split("\n")
      .findLast((candidate) => candidate.trim() !== "") ?? "",
  );
  const characters = Array.from(line);
  return characters.length <= LONGEST ? line : `…${characters.slice(1 - LONGEST).join("")}`;
}

function waitingText(state: RunState): string {
  const { waitingOn } = state;
  if (waitingOn?.kind === "child") return `waiting for ${plural(waitingOn.items?.length ?? 0, "run")} below`;
  const attempt = waitingOn?.kind === "provider" ? `, then attempt ${nextAttempt(state)}` : "";
  return `waiting (${plainLine(waitText(waitingOn) ?? "its timer")})${attempt}`;
}
