// Tests `cadre undo` and `/undo` with real files.

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agent, type Project, project } from "../cli.fixture.ts";

const crew = () =>
  project({
    "agents/lead.md": agent("lead", "tools: [Write, Bash]\n"),
    "lead.script.yaml": `turns:
  - { when: { lastUser: work, turn: 1 }, calls: [{ tool: Write, input: { path: a.txt, content: "agent\\n" } }, { tool: Bash, input: { command: "echo x > x.txt; rm b.txt" } }] }
  - { when: { turn: 2 }, text: "It is done." }
  - text: "Heard: \${lastUser}"
`,
    "a.txt": "mine\n",
    "b.txt": "bee\n",
  });

const read = (p: Project, path: string) => readFile(join(p.folder, path), "utf8");

test("[26.15] cadre undo shows what it would change, and with --yes takes back the latest run", async () => {
  await using p = await crew();
  expect((await p.cadre("run", "--yes", "lead", "work")).code).toBe(0);
  const id = String((await p.cadre("runs", "--json")).lines()[0]!["id"]);
  const asked = await p.cadre("undo");
  expect(asked).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("This would change 3 files. Nothing was changed: look with --dry-run"),
  });
  const plan = await p.cadre("undo", "--dry-run");
  expect(plan.stdout).toBe(
    [
      `Would take back the changes of 3 files, to how they were before run ${id}.`,
      "  restore     a.txt",
      "  bring back  b.txt",
      "  remove      x.txt",
      "Not taken back: other effects of these calls:",
      `  ${id}#13 Run: echo x > x.txt; rm b.txt`,
      "",
    ].join("\n"),
  );
  expect(await read(p, "a.txt")).toBe("agent\n");
  const done = await p.cadre("undo", id, "--yes");
  expect(done).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Taken back the changes of 3 files"),
  });
  expect([await read(p, "a.txt"), await read(p, "b.txt")]).toEqual(["mine\n", "bee\n"]);
  const [aside] = await readdir(join(p.folder, ".cadre", "undone"));
  const kept = await readdir(join(p.folder, ".cadre", "undone", aside!));
  expect(kept.some((name) => name.endsWith("-a.txt"))).toBe(true);
  expect((await p.cadre("undo", "--yes")).stdout).toContain("Nothing to take back");
});

test("[26.15] a file that a person changed since is kept, listed, and makes the exit code 1", async () => {
  await using p = await crew();
  await p.cadre("run", "--yes", "lead", "work");
  await writeFile(join(p.folder, "a.txt"), "a person's words\n");
  const done = await p.cadre("undo", "--yes");
  expect(done.code).toBe(1);
  expect(done.stdout).toContain("1 conflict\n  a.txt: changed since by somebody else, so it stays\n");
  expect([await read(p, "a.txt"), await read(p, "b.txt")]).toEqual(["a person's words\n", "bee\n"]);
  expect((await p.cadre("undo", "--json", "--dry-run")).lines()[0]).toMatchObject({
    files: [{ path: "a.txt", status: "conflict" }, { status: "done" }, { status: "done" }],
  });
});

test("[26.15] at a terminal the undo asks first; `/undo` in a conversation takes back the latest run", async () => {
  await using p = await crew();
  await p.cadre("run", "--yes", "lead", "work");
  const asking = p.terminal("undo");
  await asking.sees(/Take this back\? \[y\/N\]/);
  asking.type("n\r");
  expect(await asking.code).toBe(4);
  expect(await read(p, "a.txt")).toBe("agent\n");
  const terminal = p.terminal("chat", "--continue");
  await terminal.sees(/Enter sends/);
  terminal.type("/undo\r");
  await terminal.sees(/Taken back the changes of 3 files/);
  terminal.type("/exit\r");
  expect(await terminal.code).toBe(0);
  expect(await read(p, "a.txt")).toBe("mine\n");
});
