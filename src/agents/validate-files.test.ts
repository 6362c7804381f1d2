import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { validateFiles } from "./validate-files.ts";

const known = {
  models: { default: "a/b", resolve: (name: string) => ({ model: name }) },
  toolNames: ["Read", "Grep", "Glob", "LS"],
};
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "cadre-files-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): string {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  return join(root, path);
}
const brief = async (paths: string[]) =>
  (await validateFiles(paths, known)).map(({ file, name, dialect, status, problems }) =>
    [file.replace(`${root}/`, ""), name, dialect, status, ...problems.map(({ code }) => code)].join(" "),
  );

test("every file of a folder gets a report that names its product; the order of the reports is stable", async () => {
  write(
    "z/.roomodes",
    "customModes:\n  - slug: a\n    name: A\n    roleDefinition: You.\n    whenToUse: w\n    groups: [read]\n",
  );
  write("agents/b.md", "---\ndescription: d\ntools: Read, Fly\n---\nHi");
  write("agents/a.md", "---\ndescription: d\nagents: [elsewhere]\nextends: b\n---\nHi");
  write("agents/bad.md", "---\ndescription: d\nkind: boss\n---\nHi");
  write("agents/notes.md", "# Notes");
  write("agents/pack/c.md", "---\ndescription: d\n---\nHi");
  write(".claude/agents/pack/d.md", "---\nname: D\ndescription: d\n---\nHi");
  write("x.agent.md", "---\ndescription: d\n---\nHi");
  write("data.json", '{"x": 1}');
  write("README.md", "# Read me");
  write("claude.md", "---\ndescription: d\n---\nHi");
  expect(await brief([root])).toEqual([
    ".claude/agents/pack/d.md d claude loaded",
    "agents/a.md a cadre warnings UNKNOWN_TOOL",
    "agents/b.md b cadre warnings UNKNOWN_TOOL",
    "agents/bad.md bad cadre skipped BAD_VALUE",
    "agents/notes.md  cadre skipped NO_FRONTMATTER",
    "agents/pack/c.md pack/c cadre loaded",
    "claude.md claude cadre loaded",
    "data.json  cadre skipped NOT_AN_AGENT",
    "x.agent.md x copilot loaded",
    "z/.roomodes a roo loaded",
  ]);
  expect(await validateFiles([root], known)).toEqual(
    await validateFiles([root, join(root, "agents")], known),
  );
});

test("a single file can be validated; a missing file is skipped, and the reason is given", async () => {
  const file = write("x.md", "---\ndescription: d\n---\nHi");
  expect(await brief([file])).toEqual(["x.md x cadre loaded"]);
  expect(await brief([join(root, "no.md")])).toEqual(["no.md no cadre skipped FILE_UNREADABLE"]);
});
