// What streams beside the journal: never stored, never folded; losing one costs a flicker.

import type { RunId } from "../ids.ts";

export type Delta =
  | { type: "text.delta"; runId: RunId; callId: string; attempt: number; text: string }
  | { type: "reasoning.delta"; runId: RunId; callId: string; attempt: number; text: string }
  | { type: "tool-output.delta"; runId: RunId; callId: string; attempt: number; text: string };
