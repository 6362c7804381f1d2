// Tests how `cadre permissions` lists and revokes grants, and how permission presets are chosen.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agent, project } from "../cli.fixture.ts";

const MAKER = `turns:
  - when: { turn: 1 }
    calls:
      - { tool: Bash, input: { command: touch made } }
  - report: { summary: done }
`;

const maker = (config = "") =>
  project({ "agents/maker.md": agent("maker"), "maker.script.yaml": MAKER, "cadre.yaml": config });

test("[A21] a lasting grant is listed with its rule, folder, expiry and the person who gave it; it can be revoked", async () => {
  await using p = await maker();
  const terminal = p.terminal("run", "make it");
  await terminal.sees(/\[A\]lways this, for 30 days: Bash\(touch made\)/);
  await terminal.press("A", /done/);
  expect(await terminal.code).toBe(0);
  const { grants } = JSON.parse((await p.cadre("permissions", "--json")).stdout) as {
    grants: { id: number; at: number; until: number }[];
  };
  expect(grants).toMatchObject([{ rule: "Bash(touch made)", scope: "always", folder: p.folder }]);
  expect(grants[0]!.until - grants[0]!.at).toBeGreaterThan(29.9 * 86_400_000);
  expect((await p.cadre("permissions")).stdout).toMatch(
    /Preset ask: .*\n.*\ncadre.yaml has no rules\nGranted by people\n {2}1 {2}Bash\(touch made\) {2}until \d{4}-\d\d-\d\d {2}by \S+, .*, in run /,
  );
  expect((await p.cadre("run", "--json", "again")).lines().at(-1)).toMatchObject({ status: "completed" });

  expect((await p.cadre("permissions", "revoke", "Bash(rm)")).stderr).toContain(
    "There is no grant Bash(rm). Nothing was changed. In force: 1 Bash(touch made).",
  );
  expect((await p.cadre("permissions", "revoke", "Bash(touch made)")).stdout).toContain("Revoked 1 grant");
  expect((await p.cadre("permissions")).stdout).toContain("No grants by people");
  expect((await p.cadre("run", "--json", "again")).lines().at(-1)).toMatchObject({ type: "needs_person" });
});

test("`run --permissions` sets the preset of one run: `read-only` refuses a call, and `trusted` allows it; an unknown preset is refused", async () => {
  await using p = await maker("permissions: { ask: [WebSearch] }\n");
  const refused = await p.cadre("run", "--permissions", "read-only", "--json", "--yes", "make it");
  expect(refused.stdout).toContain("preset read-only deny Bash");
  expect(existsSync(join(p.folder, "made"))).toBe(false);
  const passed = await p.cadre("run", "--permissions", "trusted", "--json", "make it");
  expect(passed.stdout).toContain("preset trusted allow *");
  expect(passed.code).toBe(0);
  expect(existsSync(join(p.folder, "made"))).toBe(true);
  const wrong = await p.cadre("run", "--permissions", "yolo", "make it");
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("read-only, ask, edits, trusted")]);
});

test("an untrusted project cannot choose a more permissive preset", async () => {
  await using p = await maker("permissions: { preset: trusted, deny: [Read] }\n");
  const run = await p.cadre("run", "--json", "make it");
  expect(run.stderr).toContain("`permissions.preset` is ignored: this folder is not trusted");
  expect(run.lines().at(-1)).toMatchObject({ type: "needs_person" });
  expect((await p.cadre("permissions")).stdout).toMatch(
    /^Preset ask: [\s\S]*Rules of cadre.yaml\n {2}deny {3}Read\n/,
  );
});
