// Tests that the committed reference pages match the pages that the code generates now. `-u` rewrites the pages.

import { join } from "node:path";
import { expect, test } from "vitest";
import { PAGES } from "./reference.ts";

test.each(Object.entries(PAGES))("docs/reference/%s.md is up to date with the code", async (name, make) => {
  await expect(make()).toMatchFileSnapshot(join(import.meta.dirname, `../../docs/reference/${name}.md`));
});
