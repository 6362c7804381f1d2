// Another version of Cadre, in the process of a test: one that does not know a type of event yet, or finds it damaged.

import { z } from "zod";
import { type EventType, payloads } from "../../journal/events.ts";

/** As one that does not know this type yet. */
export const asOlderVersion = <T>(type: EventType, work: () => Promise<T>): Promise<T> =>
  withPayloads({ ...payloads, [type]: undefined }, work);

/** No event of this type has the form that it must have. */
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

/** In the same order: lists are made of it. */
function become(other: Record<string, unknown>): void {
  for (const type of Object.keys(payloads)) delete (payloads as Record<string, unknown>)[type];
  for (const [type, schema] of Object.entries(other))
    if (schema !== undefined) (payloads as Record<string, unknown>)[type] = schema;
}
