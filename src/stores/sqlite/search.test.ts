// The index and the query must split text into words in the same way. SQLite rejects a query word that the index would split.

import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { CommonValue } from "../common-queries.ts";
import { MIGRATIONS } from "./schema.ts";
import { searchConditions } from "./search.ts";

test("[A59] SQLite accepts every query word: no character in it splits the word", () => {
  const db = new DatabaseSync(":memory:");
  db.exec(MIGRATIONS.join(";"));
  const look = db.prepare("SELECT rowid FROM search WHERE search MATCH ?");
  const refused: string[] = [];
  for (let point = 0; point <= 0x10ffff; point++) {
    const letter = String.fromCodePoint(point);
    if (MANY_ALIKE.test(letter)) continue;
    const words: CommonValue[] = [];
    searchConditions(`a${letter}b`, (word) => `$${words.push(word)}`);
    const [word] = words;
    if (words.length !== 1 || word === undefined) continue;
    try {
      look.all(word);
    } catch {
      refused.push(point.toString(16));
    }
  }
  db.close();
  expect(refused).toEqual([]);
});

/** The test does not try the letters of these scripts, because there are too many. None of these letters is a combining mark. */
const MANY_ALIKE = /[\p{Cn}\p{Co}\p{Script=Han}\p{Script=Hangul}]/u;
