// The search index of the journals. It contains only words: no texts, and no positions of words in them.

import type { Position } from "../../ids.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { searchText, searchWords } from "../../projections/formats/search-text.ts";
import type { AddParameter } from "../run-lists.ts";
import type { Sql } from "./sql.ts";

export function indexWords(sql: Sql, events: readonly JournalEvent[]): void {
  for (const event of events) {
    const text = searchText(event);
    if (text !== undefined)
      sql.run("INSERT INTO search (rowid, words) VALUES (?, ?)", event.position, text.normalize("NFC"));
  }
}

export function searchConditions(query: string, parameter: AddParameter): string[] {
  const words = searchWords(query);
  if (words.length === 0) return ["FALSE"];
  return words.map((word) => {
    const hits = `SELECT rowid FROM search WHERE search MATCH ${parameter(beginning(word))}`;
    return `runs.n IN (SELECT run FROM events WHERE position IN (${hits}))`;
  });
}

/** Queries that find single events, the best query first: all words in one event, then any of the words. */
export function firstHitQueries(query: string): string[] {
  const words = searchWords(query).map(beginning);
  return words.length < 2 ? words : [words.join(" AND "), words.join(" OR ")];
}

/** A59: in quotes, a word stays a plain word, even if it is an operator of the query language. */
const beginning = (word: string): string => `"${word}"*`;

export function forgetWords(sql: Sql, positions: readonly Position[]): void {
  for (const position of positions) sql.run("DELETE FROM search WHERE rowid = ?", position);
}
