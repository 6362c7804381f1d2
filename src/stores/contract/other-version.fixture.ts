// Makes the code under test behave like another version of Cadre, which does not know an event type or finds it malformed.

import { z } from "zod";
import { type EventType, payloads } from "../../journal/events.ts";

/** Runs `work` as a version that does not know this event type yet. */
export const asOlderVersion = <T>(type: EventType, work: () => Promise<T>): Promise<T> =>
  withPayloads({ ...payloads, [type]: undefined }, work);

/** Runs `work` while every event of this type is treated as malformed. */
export const withDamagedEvents = <T>(type: EventType, work: () => Promise<T>): Promise<T> =>
  withPayloads({ ...payloads, [type]: z.never() }, work);

async function withPayloads<T>(other: Record<string, unknown>, work: () => Promise<T>): Promise<T> {
  const own = { ...payloads };
  become(other);
  try {
    return await work();
  } finally {
    become(own);
  }
}

/** Replaces the schemas and keeps their order, because some lists depend on that order. */
function become(other: Record<string, unknown>): void {
  for (const type of Object.keys(payloads)) delete (payloads as Record<string, unknown>)[type];
  for (const [type, schema] of Object.entries(other))
    if (schema !== undefined) (payloads as Record<string, unknown>)[type] = schema;
}
