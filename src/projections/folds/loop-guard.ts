// Counts the repetitions of an agent (F43, F45), so that a person is asked before a loop wastes money.

export interface LoopGuard {
  signature: string;
  repeats: number;
  /** Refused calls in a row, empty answers in a row, and final reports that did not match the schema. */
  refused: number;
  empty: number;
  badReports: number;
  /** How often the run was stopped to ask a person. */
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

/** `signature` is the text of all calls of a turn. The same text twice in a row is a repetition. */
export function countRepeats(guard: LoopGuard, signature: string, calls: number): void {
  const same = calls > 0 && signature === guard.signature;
  guard.repeats = same ? guard.repeats + 1 : 1;
  guard.signature = signature;
}

/** The inbox item of the n-th stop for a repetition. */
export const loopItemId = (stop: number): string => `loop/${stop}`;
