// Runs by the words in their journals. No append writes to the index: whoever searches first lets it catch up, page by
// page, each page one transaction with the place that it leads to. It holds words only, no texts and no places in them.

import type { SQLInputValue } from "node:sqlite";
import type { Position } from "../../ids.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { searchText, searchWords } from "../../projections/formats/search-text.ts";
import { getMeta, type Sql, setMeta } from "./sql.ts";

const PAGE_EVENTS = 500;

/** Where the index stands. */
export const indexedUpTo = (sql: Sql): Position => Number(getMeta(sql, "search") ?? 0);

/** Takes in the next page; false: there was none. */
export function indexPage(sql: Sql, read: (after: Position, limit: number) => JournalEvent[]): boolean {
  const events = read(indexedUpTo(sql), PAGE_EVENTS);
  const last = events.at(-1);
  if (!last) return false;
  for (const event of events) {
    const text = searchText(event);
    if (text !== undefined)
      sql.run("INSERT INTO search (rowid, words) VALUES (?, ?)", event.position, text.normalize("NFC"));
  }
  setMeta(sql, "search", String(last.position));
  return true;
}

/** Runs that have every word, in whatever event, as a word or as the beginning of one. */
export function searchConditions(query: string): [sql: string, values: SQLInputValue[]][] {
  const words = searchWords(query);
  if (words.length === 0) return [["FALSE", []]];
  return words.map((word) => [
    "n IN (SELECT run FROM events WHERE position IN (SELECT rowid FROM search WHERE search MATCH ?))",
    [beginning(word)],
  ]);
}

/** What to look for in single events, the best first: all the words in one, else any of them. */
export function firstHitQueries(query: string): string[] {
  const words = searchWords(query).map(beginning);
  return words.length < 2 ? words : [words.join(" AND "), words.join(" OR ")];
}

/** A59: a word in quotes is a word, whatever else it could mean. */
const beginning = (word: string): string => `"${word}"*`;

/** What is pruned is not found any more. */
export function forgetWords(sql: Sql, positions: readonly Position[]): void {
  for (const position of positions) sql.run("DELETE FROM search WHERE rowid = ?", position);
}
