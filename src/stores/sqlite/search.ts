// The index of the words in journals. It holds words only: no texts, and no places of words in them.

import type { SQLInputValue } from "node:sqlite";
import type { Position } from "../../ids.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { searchText, searchWords } from "../../projections/formats/search-text.ts";
import type { Sql } from "./sql.ts";

export function indexWords(sql: Sql, events: readonly JournalEvent[]): void {
  for (const event of events) {
    const text = searchText(event);
    if (text !== undefined)
      sql.run("INSERT INTO search (rowid, words) VALUES (?, ?)", event.position, text.normalize("NFC"));
  }
}

/** Runs that have every word in some event, whole or as the beginning of a word. */
export function searchConditions(query: string): [sql: string, values: SQLInputValue[]][] {
  const words = searchWords(query);
  if (words.length === 0) return [["FALSE", []]];
  return words.map((word) => [
    "n IN (SELECT run FROM events WHERE position IN (SELECT rowid FROM search WHERE search MATCH ?))",
    [beginning(word)],
  ]);
}

/** Queries for single events, the best first: all words in one event, then any of them. */
export function firstHitQueries(query: string): string[] {
  const words = searchWords(query).map(beginning);
  return words.length < 2 ? words : [words.join(" AND "), words.join(" OR ")];
}

/** A59: quotes make it a word, also if it is an operator of the query language. */
const beginning = (word: string): string => `"${word}"*`;

export function forgetWords(sql: Sql, positions: readonly Position[]): void {
  for (const position of positions) sql.run("DELETE FROM search WHERE rowid = ?", position);
}
