// What goes on between two events, for the status line: who, which turn, what, for how long.

import type { JournalEvent } from "../../journal/events.ts";
import type { RunState } from "../../projections/run-state.ts";
import { describeCall } from "../../projections/timeline.ts";
import { duration } from "./format.ts";
import { plainLine } from "./plain.ts";

export function createDoing(state: RunState) {
  let what: string | undefined;
  let since = 0;
  let until: number | undefined;
  let output = "";
  const set = (text: string | undefined, ts: number): void => {
    [what, since, until, output] = [text, ts, undefined, ""];
  };
  return {
    event(event: JournalEvent, calls: ReadonlyMap<string, { tool: string; input: unknown }>): void {
      const { ts } = event;
      if (event.type === "MODEL_CALL_STARTED") set("thinking", ts);
      else if (event.type === "TOOL_STARTED") {
        const call = calls.get(event.payload.toolCallId);
        set(call ? plainLine(describeCall(call.tool, call.input)) : "working", ts);
      } else if (event.type === "AGENT_THOUGHT" || event.type === "TOOL_RESULT") set("working", ts);
      else if (state.end || state.status === "suspended") set(undefined, ts);
      else if (state.status === "waiting") {
        const { kind, detail, until: end } = state.waitingOn ?? { kind: "" };
        const attempt = kind === "provider" ? `, then attempt ${nextAttempt(state)}` : "";
        set(`waiting (${plainLine(detail ?? kind)})${attempt}`, ts);
        until = end;
      }
    },
    output(text: string): void {
      const line = text.trimEnd().split("\n").at(-1) ?? "";
      if (line.trim() !== "") output = plainLine(line);
    },
    text(now: number): string | undefined {
      if (what === undefined) return undefined;
      const time = until === undefined ? wholeSeconds(now - since) : `${wholeSeconds(until - now)} left`;
      const turn = `turn ${state.turns + (state.openModelCall ? 1 : 0)}/${state.start?.limits.maxTurns ?? "?"}`;
      const agent = plainLine(state.start?.agent ?? "");
      return [agent, turn, what, time, ...(output === "" ? [] : [output])].join(" · ");
    },
  };
}

/** The attempt that comes after one that the provider failed. */
export const nextAttempt = ({ failed }: RunState): number => (failed?.attempt ?? 1) + 1;

/** A status line that counts tenths would never be still. */
function wholeSeconds(ms: number): string {
  return ms < 60_000 ? `${Math.max(0, Math.floor(ms / 1_000))} s` : duration(ms);
}
