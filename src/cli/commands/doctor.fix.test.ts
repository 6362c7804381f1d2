// Tests `cadre doctor --fix`: what it mends, and what it leaves to a person.

import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agent, project } from "../cli.fixture.ts";

const withRun = async () => {
  const p = await project({ "agents/a.md": agent("a"), "a.script.yaml": "turns:\n  - text: Hello.\n" });
  await p.cadre("run", "a", "say hello", "--json");
  return p;
};

test("[26.16] `doctor --fix` closes files that others can read, and restores the .gitignore; without --fix it only says so", async () => {
  await using p = await withRun();
  const own = join(p.folder, ".cadre");
  const [store, ignored] = [join(own, "cadre.db"), join(own, ".gitignore")];
  expect((await p.cadre("doctor")).stdout).not.toContain("private:");
  chmodSync(own, 0o755);
  chmodSync(store, 0o644);
  rmSync(ignored);
  const found = await p.cadre("doctor");
  expect(found.stdout).toMatch(/^warn {2}private: other users of this machine can use .*\.cadre and/m);
  expect(found.stdout).toMatch(/^warn {2}private: .*\.cadre has no \.gitignore/m);
  expect(found.stdout).toMatch(/^cadre doctor --fix mends 2 of these\.$/m);
  expect(statSync(own).mode & 0o777, "without --fix nothing is changed").toBe(0o755);
  const fixed = await p.cadre("doctor", "--fix");
  expect(fixed.stdout).toMatch(/^ok {4}private: mended: only you can use .*\.cadre/m);
  expect(fixed.stdout).not.toMatch(/^warn {2}private/m);
  expect([own, store].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
  expect(readFileSync(ignored, "utf8")).toBe("*\n");
});

test("[26.16] [F30] `doctor --fix` salvages a damaged store, and the runs can be listed again", async () => {
  await using p = await withRun();
  const path = join(p.folder, ".cadre", "cadre.db");
  const bytes = readFileSync(path);
  bytes[0]! ^= 8;
  writeFileSync(path, bytes);
  const fixed = await p.cadre("doctor", "--fix");
  expect(fixed.stdout).toMatch(/^ok {4}store: mended: copied 1 tree into a new /m);
  expect(fixed.code).toBe(0);
  expect((await p.cadre("runs")).stdout).toContain("say hello");
});
