// Prints a journal: the number, type and description of each event.

import { plainLine } from "../../src/cli/view/text/plain.ts";
import { table } from "../../src/cli/view/text/table.ts";
import type { JournalEvent } from "../../src/journal/events.ts";
import { textOf, toolCallsOf } from "../../src/journal/message.ts";
import { fold } from "../../src/projections/projection.ts";
import { timelineProjection } from "../../src/projections/views/timeline.ts";

const WIDTH = 78;

export function journalLines(events: readonly JournalEvent[]): string[] {
  const words = new Map(fold(timelineProjection, events).entries.map(({ seq, title }) => [seq, title]));
  return table(
    events.map((event) => {
      const said = plainLine(shortText(event) ?? words.get(event.seq) ?? "");
      return [String(event.seq).padStart(3), event.type, clipText(said)];
    }),
  );
}

/** Returns a text that is more useful here than the usual description, such as the tool's name and the verdict. */
function shortText({ type, payload }: JournalEvent): string | undefined {
  switch (type) {
    case "AGENT_THOUGHT":
      return textOf(payload.content) === "" ? `Calls ${calledIn(payload.content)}` : undefined;
    case "TOOL_PROPOSED":
      return `${payload.name}: ${payload.verdict}`;
    case "CHILD_RUN_STARTED":
      return `${payload.key}: ${payload.agent_type} by ${payload.trigger}`;
    case "CHILD_RUN_COMPLETED":
      return `${payload.key}: ${payload.summary}`;
    default:
      return undefined;
  }
}

const calledIn = (content: Parameters<typeof toolCallsOf>[0]): string =>
  toolCallsOf(content)
    .map(({ toolName }) => toolName)
    .join(", ");

const clipText = (text: string): string => (text.length <= WIDTH ? text : `${text.slice(0, WIDTH - 1)}…`);
