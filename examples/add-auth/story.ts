// Prints the progress of the example: one line for each interesting event.

import { plainLine } from "../../src/cli/view/text/plain.ts";
import type { EventOf, JournalEvent } from "../../src/journal/events.ts";
import { duration } from "../../src/projections/words/format.ts";

/** Returns a function that converts an event into a line, or into undefined if the event is not worth showing. */
export function createStory(): (event: JournalEvent) => string | undefined {
  const names = new Map<string, string>();
  let beganAt: number | undefined;
  return (event) => {
    const { runId, ts } = event;
    beganAt ??= ts;
    if (event.type === "RUN_STARTED") names.set(runId, nameOf(event.payload));
    const said = tell(event);
    return (
      said && `${duration(ts - beganAt).padStart(7)}  ${names.get(runId)!.padEnd(15)}  ${plainLine(said)}`
    );
  };
}

/** A short name such as `worker tokens`: the agent's name without its pack, followed by the subtask, if there is one. */
export function nameOf({ agent, task }: { agent: string; task: string }): string {
  const [, subtask] = /^Subtask (\w+):/.exec(task) ?? [];
  return [agent.replace(/^.*\//, ""), subtask].filter(Boolean).join(" ");
}

function tell(event: JournalEvent): string | undefined {
  switch (event.type) {
    case "RUN_STARTED":
      return "begins";
    case "TOOL_PROPOSED":
      return event.payload.verdict === "ask" ? `asks for ${wish(event)}` : undefined;
    case "APPROVAL_DECIDED":
      return `a person says: ${event.payload.decision}`;
    case "OUTCOME_DECIDED":
      return `had a command under way, and nobody knows how it ended; a person says: ${event.payload.verdict.replace("_", " ")}`;
    case "RUN_COMPLETED":
      return `done: ${event.payload.summary}`;
    case "RUN_FAILED":
    case "RUN_CANCELLED":
      return `failed: ${event.payload.summary}`;
    default:
      return undefined;
  }
}

/** Describes what needs approval: the command, or the tool and the name of the file that it changes. The file name comes from the diff. */
function wish({ payload: { name, preview = "" } }: EventOf<"TOOL_PROPOSED">): string {
  return name === "Bash" ? preview : `${name} ${/^\+\+\+ (\S+)/m.exec(preview)?.[1] ?? ""}`;
}
