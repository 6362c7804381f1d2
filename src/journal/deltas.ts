// Pieces of text that stream while a call is under way. They are never stored. If one is lost, the view only flickers.

import type { RunId } from "../ids.ts";

interface Piece {
  runId: RunId;
  callId: string;
  attempt: number;
  text: string;
  /** The text is everything that has streamed so far. Only for readers that ask for a snapshot. */
  whole?: true;
}

export type Delta =
  | ({ type: "text.delta" } & Piece)
  | ({ type: "reasoning.delta" } & Piece)
  | ({ type: "tool-output.delta" } & Piece);
