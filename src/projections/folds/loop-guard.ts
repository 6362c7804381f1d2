// What an agent does over and over is counted, so that it is put to a person before it is paid for without end.

/** Counts what an agent does over and over (F43, F45). */
export interface LoopGuard {
  signature: string;
  repeats: number;
  /** Calls in a row that were refused, answers in a row that were empty, reports that did not fit. */
  refused: number;
  empty: number;
  badReports: number;
  /** Times that the run was stopped for a person because of it. */
  stops: number;
}

export const emptyGuard = (): LoopGuard => ({
  signature: "",
  repeats: 0,
  refused: 0,
  empty: 0,
  badReports: 0,
  stops: 0,
});

/** A turn's calls, as one text: the same text again is a repetition. */
export function countRepeats(guard: LoopGuard, signature: string, calls: number): void {
  const same = calls > 0 && signature === guard.signature;
  guard.repeats = same ? guard.repeats + 1 : 1;
  guard.signature = signature;
}

/** The id under which a person decides on the n-th stop for a repetition. */
export const loopItemId = (stop: number): string => `loop/${stop}`;
