// Checks that the examples in docs/scripted-model.md behave as the page says.

import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { project } from "./cli.fixture.ts";

/** Finds the code blocks that follow a line with a file name. Returns them by file name. */
async function filesOf(document: string): Promise<Record<string, string>> {
  const text = await readFile(new URL(`../../docs/${document}`, import.meta.url), "utf8");
  const blocks = text.matchAll(/^`([\w./-]+)`:\n\n```\w+\n(.*?)^```$/gms);
  return Object.fromEntries([...blocks].map(([, file, content]) => [file!, content!]));
}

test("the documented example with one agent prints the output that the docs show", async () => {
  await using p = await project(await filesOf("scripted-model.md"));
  const { code, stdout } = await p.cadre("run", "--yes", "notes", "buy milk");
  expect(stdout).toMatch(/^Completed\nThe note is written\.$/m);
  expect(code).toBe(0);
  expect(await readFile(`${p.folder}/note.txt`, "utf8")).toBe("buy milk\n");
});

test("the documented example with a parent and a child prints the output that the docs show", async () => {
  await using p = await project({
    ...(await filesOf("scripted-model.md")),
    "list.txt": "milk\nbread\noat milk\n",
  });
  const { code, stdout } = await p.cadre("run", "lead", "milk");
  expect(code).toBe(0);
  expect(stdout).toContain("Started clerk: Which lines of list.txt name milk?");
  expect(stdout).toMatch(/^lead {2}clerk is done: Found: list\.txt:1:milk list\.txt:3:oat milk$/m);
  expect(stdout).toMatch(/^Completed\nThe clerk has answered\.$/m);
  await p.write("agents/clerk.md", "---\ndescription: Fails.\nmodel: scripted/nobody\n---\nx\n");
  expect((await p.cadre("run", "lead", "milk")).stdout).toMatch(/^Completed\nNobody could look it up\.$/m);
  await p.write("broken.script.yaml", "turns: [{ error: { status: 401, message: no } }]\n");
  await p.write("agents/clerk.md", "---\ndescription: Fails.\nmodel: scripted/broken\n---\nx\n");
  expect((await p.cadre("run", "lead", "milk")).stdout).toMatch(/^Completed\nThe clerk has failed\.$/m);
});
