import type { JournalEvent } from "./events.ts";

/** The stored values that an event names: what its agent was, and what a result was too long for. */
export function referencedBlobs(event: JournalEvent): string[] {
  if (event.type === "RUN_STARTED") return [event.payload.definition];
  return event.type === "TOOL_RESULT" && event.payload.ref !== undefined ? [event.payload.ref] : [];
}
