// Pieces of text that stream while a call is under way. They are never stored. If one is lost, the view only flickers.

import type { RunId } from "../ids.ts";

export type Delta =
  | { type: "text.delta"; runId: RunId; callId: string; attempt: number; text: string }
  | { type: "reasoning.delta"; runId: RunId; callId: string; attempt: number; text: string }
  | { type: "tool-output.delta"; runId: RunId; callId: string; attempt: number; text: string };
