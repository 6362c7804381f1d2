// Converts the stored text of an event, from this version or an older one, to today's shape.
// The conversion runs after the hash was verified (J9).
// An unknown event type from a newer Cadre is an error, because Cadre must never act on an incomplete journal.

import { CadreError } from "../errors.ts";
import { type EventType, type JournalEvent, payloads } from "./events.ts";

export interface StoredEvent {
  runId: string;
  seq: number;
  position: number;
  ts: number;
  type: string;
  key: string;
  text: string;
}

/** A step converts payloads from one version to the next. A payload names its version in the field `v`. If `v` is absent, the version is 1. */
type Step = (type: string, payload: Record<string, unknown>) => Record<string, unknown>;
export const JOURNAL_VERSION = 1;
const STEPS: Step[] = [];

export function readEvent(stored: StoredEvent): JournalEvent {
  const { text, ...place } = stored;
  const where = `Run ${stored.runId}, event ${stored.seq}`;
  if (!Object.hasOwn(payloads, stored.type)) {
    throw new CadreError(
      "JOURNAL_NEWER",
      `${where} is a ${stored.type}, which this version of Cadre does not know. The journal is unharmed: use the newer version that wrote it.`,
      { runId: stored.runId, seq: stored.seq, type: stored.type },
    );
  }
  const raw = parseObject(text);
  const version = typeof raw["v"] === "number" ? raw["v"] : 1;
  if (version > JOURNAL_VERSION) {
    throw new CadreError(
      "JOURNAL_NEWER",
      `${where} has format ${version}; this version of Cadre reads up to ${JOURNAL_VERSION}. The journal is unharmed: use the newer version that wrote it.`,
      { runId: stored.runId, seq: stored.seq, version },
    );
  }
  const upcast = STEPS.slice(version - 1).reduce((payload, step) => step(stored.type, payload), raw);
  const parsed = payloads[stored.type as EventType].safeParse(upcast);
  if (!parsed.success) {
    throw new CadreError(
      "JOURNAL_CORRUPT",
      `${where} (${stored.type}) is malformed. The run is quarantined; the others continue.`,
      { runId: stored.runId, seq: stored.seq, issues: parsed.error.issues },
    );
  }
  return { ...place, payload: parsed.data } as JournalEvent;
}

/** Whether the error means that a newer version of Cadre could read the journal. */
export const isNewer = (error: unknown): boolean =>
  error instanceof CadreError && error.code === "JOURNAL_NEWER";

/** Parses the text of an event. If it is not a JSON object, returns an empty object, which the event's schema then rejects. */
function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
