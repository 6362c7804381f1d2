// The index of the words in journals. The words are cut here and not by Postgres, so that a search finds the same in
// whatever language the database is configured for.

import type { JournalEvent } from "../../journal/events.ts";
import { searchText, searchWords } from "../../projections/formats/search-text.ts";
import { manyRows, type Sql, type Value } from "./sql.ts";

/** Bytes of a lexeme, of which Postgres takes 2046. */
const WORD_CHARACTERS = 400;

export async function indexWords(sql: Sql, events: readonly JournalEvent[]): Promise<void> {
  const rows = events.flatMap((event) => {
    const words = wordsOf(searchText(event) ?? "");
    return words.length === 0 ? [] : [{ position: event.position, run: event.runId, words }];
  });
  if (rows.length > 0) await sql.run(INDEX, manyRows(rows));
}

/** Runs that have every word in some event, whole or as the beginning of a word. */
export function searchConditions(query: string): [sql: (place: string) => string, value: Value][] {
  const words = wordsOf(query);
  if (words.length === 0) return [[(place) => `${place}::boolean`, false]];
  return words.map((word) => [
    (place) => `n IN (SELECT run FROM search WHERE words @@ ${place}::tsquery)`,
    beginning(word),
  ]);
}

/** Queries for single events. Undefined: there is no word to look for. */
export function firstHitQueries(query: string): { all: string; any: string } | undefined {
  const words = wordsOf(query).map(beginning);
  return words.length === 0 ? undefined : { all: words.join(" & "), any: words.join(" | ") };
}

/** A59: a word has only letters and digits left. Quotes make it a word, also if it is an operator of the query language. */
const beginning = (word: string): string => `'${word}':*`;

const wordsOf = (text: string): string[] => [
  ...new Set(
    searchWords(text)
      .map((word) => folded(word).slice(0, WORD_CHARACTERS).toWellFormed())
      .filter(Boolean),
  ),
];

/** As people type it: without the marks on letters. */
const folded = (word: string): string => word.normalize("NFD").replaceAll(/\p{M}/gu, "").normalize("NFC");

const INDEX = `INSERT INTO search (position, run, words)
  SELECT found.position, runs.n, array_to_tsvector(found.words)
  FROM json_to_recordset($1::json) AS found (position BIGINT, run TEXT, words TEXT[]) JOIN runs ON runs.id = found.run
  ON CONFLICT DO NOTHING`;
