import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { MIGRATIONS } from "../../src/stores/sqlite/schema.ts";
import { UNRELEASED_STEPS } from "./unreleased-schema.ts";

test("[F39] a golden recording is migrated to the schema of a new file, column by column", () => {
  expect(tablesOf(...UNRELEASED_STEPS)).toEqual(tablesOf(...MIGRATIONS));
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
