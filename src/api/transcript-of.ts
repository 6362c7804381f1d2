// What the model of a run sees: the words of the runs that it continues, then its own.

import type { EventOf } from "../journal/events.ts";
import { eventsBefore } from "../loop/continued.ts";
import { loadDefinition } from "../loop/run-journal.ts";
import { fold } from "../projections/projection.ts";
import type { RunRow } from "../projections/run-row.ts";
import { promptMessages, transcriptProjection } from "../projections/transcript.ts";
import type { ApiParts } from "./parts.ts";
import type { TranscriptView } from "./schema.ts";

export async function transcriptOf(row: RunRow, parts: ApiParts): Promise<TranscriptView> {
  const events = await parts.store.journal(row.id);
  const definition = await loadDefinition(parts.store, row.definition);
  const { payload, ts } = events[0] as EventOf<"RUN_STARTED">;
  const before = await eventsBefore(parts.store, payload);
  return {
    system: parts.systemPrompt(definition, payload, ts),
    messages: promptMessages(fold(transcriptProjection, [...before, ...events])),
  };
}
