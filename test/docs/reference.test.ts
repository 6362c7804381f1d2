// The reference pages stand in the repository as they would be made now. `-u` writes them.

import { join } from "node:path";
import { expect, test } from "vitest";
import { PAGES } from "./reference.ts";

test.each(Object.entries(PAGES))("docs/reference/%s.md says what the code says", async (name, make) => {
  await expect(make()).toMatchFileSnapshot(join(import.meta.dirname, `../../docs/reference/${name}.md`));
});
