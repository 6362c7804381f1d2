// Tests `cadre doctor --salvage` on a project whose database is damaged.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agent, project } from "../cli.fixture.ts";

test("[F30] [36.14] the error for a damaged store names the command that salvages it; after that command, runs can be listed again", async () => {
  await using p = await project({
    "agents/a.md": agent("a"),
    "a.script.yaml": "turns:\n  - text: Hello.\n",
  });
  const ran = await p.cadre("run", "a", "say hello", "--json");
  expect(ran.code).toBe(0);
  const path = join(p.folder, ".cadre", "cadre.db");
  const intact = await p.cadre("doctor", "--salvage");
  expect(intact.stdout).toContain("is intact. Nothing was changed.");
  expect(intact.code).toBe(0);
  const bytes = readFileSync(path);
  bytes[0]! ^= 8;
  writeFileSync(path, bytes);
  const refused = await p.cadre("runs");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("is not an intact SQLite file");
  expect(refused.stderr).toContain("cadre doctor --salvage");
  expect((await p.cadre("doctor")).stdout).toContain("cadre doctor --salvage");
  const salvaged = await p.cadre("doctor", "--salvage");
  expect(salvaged.stdout).toMatch(
    /Copied 1 tree \(1 run\) into a new .*cadre\.db\. The damaged file is kept as .*\.damaged-/,
  );
  expect(salvaged.code).toBe(0);
  expect((await p.cadre("runs")).stdout).toContain("say hello");
  expect((await p.cadre("run", "a", "say more", "--json")).code).toBe(0);
});
