// Pieces of text that stream while a call is under way. They are never stored or folded, and losing one only causes a flicker.

import type { RunId } from "../ids.ts";

export type Delta =
  | { type: "text.delta"; runId: RunId; callId: string; attempt: number; text: string }
  | { type: "reasoning.delta"; runId: RunId; callId: string; attempt: number; text: string }
  | { type: "tool-output.delta"; runId: RunId; callId: string; attempt: number; text: string };
