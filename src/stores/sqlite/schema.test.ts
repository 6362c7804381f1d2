import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { MIGRATIONS } from "./migrations.ts";
import { TABLES } from "./schema.ts";

test("[F39] a file of the first version becomes what a new one is, column by column", () => {
  expect(tablesOf(...MIGRATIONS)).toEqual(tablesOf(TABLES));
});

function tablesOf(...steps: string[]): string[] {
  const db = new DatabaseSync(":memory:");
  for (const step of steps) db.exec(step);
  const made = db.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name").all();
  db.close();
  return made.map(({ sql }) =>
    String(sql)
      .replaceAll(/--.*/g, "")
      .replaceAll(/\s*([,()]|\s)\s*/g, "$1"),
  );
}
