// The index and what is looked for must agree on what a word is: what the index takes for two words is an error there.

import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { MIGRATIONS } from "./schema.ts";
import { searchConditions } from "./search.ts";

test("[A59] every letter of our words is part of a word in the index", () => {
  const db = new DatabaseSync(":memory:");
  db.exec(MIGRATIONS.join(";"));
  const look = db.prepare("SELECT rowid FROM search WHERE search MATCH ?");
  const refused: string[] = [];
  for (let point = 0; point <= 0x10ffff; point++) {
    const letter = String.fromCodePoint(point);
    if (MANY_ALIKE.test(letter)) continue;
    const conditions = searchConditions(`a${letter}b`);
    if (conditions.length > 1) continue;
    const word = conditions[0]![1][0]!;
    try {
      look.all(word);
    } catch {
      refused.push(point.toString(16));
    }
  }
  db.close();
  expect(refused).toEqual([]);
});

/** Too many to be tried one by one, and no marks among them. */
const MANY_ALIKE = /[\p{Cn}\p{Co}\p{Script=Han}\p{Script=Hangul}]/u;
