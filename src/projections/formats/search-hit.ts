// A search hit as people read it: the passage around the words, and how well the event fits the search.
// The search index has no texts, so the passage comes from the event itself.

import type { EventType, JournalEvent } from "../../journal/events.ts";
import { searchText, searchWords, WORD } from "./search-text.ts";

export const HIT_KINDS = ["task", "message", "agent", "tool", "decision", "error", "result"] as const;
export type HitKind = (typeof HIT_KINDS)[number];

export interface SearchHit {
  /** The part of the run that contains the words. */
  kind: HitKind;
  /** The passage in pieces: matching words, and the text between them. */
  parts: { text: string; isMatch: boolean }[];
  /** How well the event fits the search. Hits of one search can be compared, nothing else. */
  score: number;
}

/** The kind of each event that the index contains, and its weight: a run is about its task and its result. */
const KINDS: Partial<Record<EventType, [kind: HitKind, weight: number]>> = {
  RUN_STARTED: ["task", 6],
  RUN_COMPLETED: ["result", 5],
  RUN_FAILED: ["result", 5],
  RUN_CANCELLED: ["result", 4],
  CONTEXT_ADDED: ["message", 4],
  TEAM_MESSAGE: ["message", 3],
  APPROVAL_DECIDED: ["decision", 3],
  SYSTEM_ERROR: ["error", 3],
  MODEL_CALL_FAILED: ["error", 3],
  AGENT_THOUGHT: ["agent", 2],
  TOOL_RESULT: ["tool", 1],
};

const BEFORE = 60;
const AFTER = 140;

/** Undefined if the event contains none of the words. */
export function searchHit(event: JournalEvent, query: string): SearchHit | undefined {
  const text = (searchText(event) ?? "").trim();
  const [kind, weight] = KINDS[event.type] ?? ["message", 1];
  const wanted = searchWords(query).map(foldWord);
  const found = matchesIn(text, wanted);
  const [first] = found;
  if (!first) return undefined;
  const share = new Set(found.map(({ word }) => word)).size / wanted.length;
  const whole = new Set(found.flatMap(({ word, isWhole }) => (isWhole ? [word] : []))).size / wanted.length;
  return { kind, parts: passage(text, found), score: weight * share * share * (1 + whole) };
}

interface Match {
  from: number;
  to: number;
  /** The word of the query. */
  word: string;
  /** False if the text only begins with the word of the query. */
  isWhole: boolean;
}

function matchesIn(text: string, wanted: readonly string[]): Match[] {
  return [...text.matchAll(WORD)].flatMap(({ index, 0: own }) => {
    const folded = foldWord(own);
    const word = wanted.find((each) => folded === each) ?? wanted.find((each) => folded.startsWith(each));
    return word === undefined
      ? []
      : [{ from: index, to: index + own.length, word, isWhole: folded === word }];
  });
}

/** Like the index, ignores case and accents. */
const foldWord = (word: string): string => word.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();

/** The text around the stretch of the passage's length that contains the most different words. */
function passage(text: string, found: readonly Match[]): SearchHit["parts"] {
  const best = densest(found);
  const from = Math.max(0, best - BEFORE);
  const to = Math.min(text.length, best + AFTER);
  const parts: SearchHit["parts"] = [];
  const add = (piece: string, isMatch: boolean): void => {
    const shown = piece.replaceAll(/\s+/g, " ").toWellFormed();
    if (shown !== "") parts.push({ text: shown, isMatch });
  };
  let at = from;
  for (const match of found) {
    if (match.from < from || match.to > to) continue;
    add(`${at === from && from > 0 ? "…" : ""}${text.slice(at, match.from)}`, false);
    add(text.slice(match.from, match.to), true);
    at = match.to;
  }
  add(`${text.slice(at, to)}${to < text.length ? "…" : ""}`, false);
  return parts;
}

/** Maximum number of places to compare. The text of a tool can contain a word thousands of times. */
const MOST_PLACES = 200;

function densest(found: readonly Match[]): number {
  const places = found.slice(0, MOST_PLACES);
  let best = { from: 0, words: 0 };
  for (const [index, { from }] of places.entries()) {
    const near = places.slice(index).filter((match) => match.to <= from + AFTER);
    const words = new Set(near.map(({ word }) => word)).size;
    if (words > best.words) best = { from, words };
  }
  return best.from;
}
