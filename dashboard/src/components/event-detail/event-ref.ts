// U17: a reference to an event by run and sequence number. References stay valid, because journals only grow.

export interface EventRef {
  runId: string;
  seq: number;
}

/** Parses `142` (an event of the given run) or `<run>:142`. */
export function parseEventRef(text: string, runId = ""): EventRef | undefined {
  const [, run, digits] = /^(?:([0-9a-z]+):)?([1-9]\d{0,8})$/.exec(text) ?? [];
  const of = run ?? runId;
  return digits === undefined || of === "" ? undefined : { runId: of, seq: Number(digits) };
}

export const formatEventRef = ({ runId, seq }: EventRef): string => `${runId}:${seq}`;

export function eventHash(ref: EventRef | undefined, runId: string): string {
  if (!ref) return "";
  return ref.runId === runId ? String(ref.seq) : formatEventRef(ref);
}

export const isSameEvent = (a: EventRef | undefined, b: EventRef | undefined): boolean =>
  a?.runId === b?.runId && a?.seq === b?.seq;
