// The index of the words in journals.
// Cadre splits texts into words itself, so that the results do not depend on the language that Postgres is configured for.

import type { JournalEvent } from "../../journal/events.ts";
import { searchText, searchWords } from "../../projections/formats/search-text.ts";
import type { AddParameter } from "../run-lists.ts";
import { manyRows, type Sql } from "./sql.ts";

/** Postgres accepts words of up to 2,046 bytes. */
const WORD_CHARACTERS = 400;

export async function indexWords(sql: Sql, events: readonly JournalEvent[]): Promise<void> {
  const rows = events.flatMap((event) => {
    const words = wordsOf(searchText(event) ?? "");
    return words.length === 0 ? [] : [{ position: event.position, run: event.runId, words }];
  });
  if (rows.length > 0) await sql.run(INDEX, manyRows(rows));
}

export function searchConditions(query: string, parameter: AddParameter): string[] {
  const words = wordsOf(query);
  if (words.length === 0) return ["FALSE"];
  return words.map(
    (word) => `runs.n IN (SELECT run FROM search WHERE words @@ ${parameter(beginning(word))}::tsquery)`,
  );
}

/** Queries that find single events. Undefined if there is no word to search for. */
export function firstHitQueries(query: string): { all: string; any: string } | undefined {
  const words = wordsOf(query).map(beginning);
  return words.length === 0 ? undefined : { all: words.join(" & "), any: words.join(" | ") };
}

/** A59: a word contains only letters and digits. In quotes it stays a plain word, even if it is an operator of the query language. */
const beginning = (word: string): string => `'${word}':*`;

const wordsOf = (text: string): string[] => [
  ...new Set(
    searchWords(text)
      .map((word) => withoutAccents(word).slice(0, WORD_CHARACTERS).toWellFormed())
      .filter(Boolean),
  ),
];

/** People often type words without accents, so a search must also find them in that form. */
const withoutAccents = (word: string): string =>
  word.normalize("NFD").replaceAll(/\p{M}/gu, "").normalize("NFC");

const INDEX = `INSERT INTO search (position, run, words)
  SELECT found.position, runs.n, array_to_tsvector(found.words)
  FROM json_to_recordset($1::json) AS found (position BIGINT, run TEXT, words TEXT[]) JOIN runs ON runs.id = found.run
  ON CONFLICT DO NOTHING`;
