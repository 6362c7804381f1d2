// Users do not know the ids of SPEC.md, the feature list and the fault list. Only comments and the titles of tests contain them.

import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");
/** An id in brackets, such as `(S3-48)`, `(A17)` or `[26.4]`. The API's routes may name the document of their contract: `(S4)`. */
const ID = /[([](?!S\d[)\]])(?:S\d-\d+|[A-Z]{1,3}\d{1,3}|\d{2}\.\d{1,2})[)\]]/;
const STRING = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g;

const withoutComments = (source: string): string =>
  source.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|\s)\/\/[^\n]*/g, "");

test("[26] no text that users read contains an id such as (S3-48)", async () => {
  const found: string[] = [];
  for (const folder of ["src", "dashboard/src"])
    for await (const path of glob(`${folder}/**/*.{ts,tsx}`, { cwd: ROOT })) {
      if (/\.(test|contract|fixture)\.tsx?$/.test(path)) continue;
      const source = withoutComments(readFileSync(join(ROOT, path), "utf8"));
      for (const [text] of source.matchAll(STRING)) if (ID.test(text)) found.push(`${path}: ${text}`);
    }
  expect(found).toEqual([]);
});
