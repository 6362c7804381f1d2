// Files that no tool can use as a whole: each call answers soon, with little memory, and says what to do next.

import { execFileSync } from "node:child_process";
import { symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PNG } from "../../test/support/sample-files.ts";
import { editTool } from "./edit.ts";
import { grepTool } from "./grep.ts";
import { readTool } from "./read.ts";
import { type TempWorkspace, tempWorkspace } from "./temp-workspace.fixture.ts";

const GB = 1024 ** 3;
const MEMORY = 100 * 1024 ** 2;

async function makeSparse(folder: TempWorkspace, name: string, start: string | Buffer, size: number) {
  await writeFile(join(folder.path, name), start);
  await truncate(join(folder.path, name), size);
}

/** Calls a tool that must refuse the file without loading it into memory. Returns the error text. */
async function refusalOf(call: () => ReturnType<typeof readTool.execute>): Promise<string> {
  const before = process.memoryUsage().rss;
  const { output, isError } = await call();
  expect(process.memoryUsage().rss - before).toBeLessThan(MEMORY);
  expect(isError).toBe(true);
  return String(output);
}

/** A PDF whose page tree lists one page `count` times. */
const pdf = (count: number): string =>
  [
    "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R/Outlines<</Type/Outlines/Count 5000>>>>endobj",
    `2 0 obj<</Type /Pages /Count ${count} /Kids[${"3 0 R ".repeat(count)}]>>endobj`,
    "3 0 obj<</Type/Page/Parent 2 0 R>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n",
  ].join("\n");

describe("bad files", () => {
  it("[25.11] an image of 4 GB is refused after only its first bytes were read", async () => {
    await using folder = await tempWorkspace();
    await makeSparse(folder, "photo.png", PNG, 4 * GB);
    const read = () => readTool.execute({ path: "photo.png" }, folder.context());
    expect(await refusalOf(read)).toBe(
      "photo.png is an image of 4096 MB, which is too large: make a smaller copy with Bash and read that",
    );
  });

  it("[25.11] Read, Grep and Edit refuse a log of 1 GB, and say how to look at parts of it", async () => {
    await using folder = await tempWorkspace();
    await makeSparse(folder, "big.log", "started\n", GB);
    const context = folder.context();
    const edit = { path: "big.log", old_string: "started", new_string: "ended" };
    expect(await refusalOf(() => readTool.execute({ path: "big.log", offset: 900 }, context))).toBe(
      "big.log is 1024 MB, more than the 10.0 MB that can be used: look at parts of it with Bash (grep, head, tail, sed -n)",
    );
    expect(await refusalOf(() => grepTool.execute({ path: "big.log", pattern: "started" }, context))).toBe(
      "big.log is 1024 MB, and files of more than 500 MB are not searched: use Bash (grep)",
    );
    expect(await refusalOf(() => editTool.execute(edit, context))).toContain("with Bash (");
  });

  it("[25.11] Read refuses an image whose end is missing, because a provider would reject the whole conversation", async () => {
    await using folder = await tempWorkspace();
    await writeFile(join(folder.path, "cut.png"), PNG.subarray(0, 40));
    await writeFile(join(folder.path, "cut.jpg"), Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2]));
    for (const path of ["cut.png", "cut.jpg"])
      expect(await refusalOf(() => readTool.execute({ path }, folder.context()))).toBe(
        `${path} is an image whose end is missing, so no model can read it: make it again`,
      );
  });

  it("[25.9] Read shows any numbered lines of a 24 MB log, but refuses a file with a single line of 24 MB", async () => {
    await using folder = await tempWorkspace();
    const lines = Array.from({ length: 300_000 }, (_, index) => `line ${index + 1} ü ${"x".repeat(64)}`);
    await writeFile(join(folder.path, "big.log"), lines.join("\n"));
    const read = async (offset: number, limit: number, path = "big.log") =>
      (await readTool.execute({ path, offset, limit }, folder.context())).output;
    expect(await read(200_000, 2)).toBe(
      `200000\t${lines[199_999]}\n200001\t${lines[200_000]}\n(lines 200000–200001 of 300000; continue with offset 200002)`,
    );
    expect(await read(300_000, 5)).toBe(`300000\t${lines.at(-1)}`);
    expect(await read(1, 1)).toContain(`1\t${lines[0]}\n(lines 1–1 of 300000`);
    expect(await read(300_001, 1)).toBe("(there are only 300000 lines)");
    expect(await read(1, 300_000)).toMatch(/continue with offset \d+\)$/);
    await writeFile(join(folder.path, "one.txt"), "y".repeat(11_000_000));
    expect(await read(1, 1, "one.txt")).toContain("more than the 10.0 MB that can be used");
  });

  it("[25.11] a PDF with too many pages or of several GB is refused, and the answer says how to read a part of it", async () => {
    await using folder = await tempWorkspace();
    await writeFile(join(folder.path, "book.pdf"), pdf(5_000));
    await writeFile(join(folder.path, "paper.pdf"), pdf(20));
    await makeSparse(folder, "huge.pdf", pdf(1), 2 * GB);
    const read = (path: string) => readTool.execute({ path }, folder.context());
    const next = "take out the part that matters with Bash (pdftotext or qpdf) and read that";
    expect(await refusalOf(() => read("book.pdf"))).toBe(
      `book.pdf has 5000 pages, and 100 can be read at once: ${next}`,
    );
    expect(await refusalOf(() => read("huge.pdf"))).toBe(
      `huge.pdf is a PDF of 2048 MB, which is too large: ${next}`,
    );
    expect(await read("paper.pdf")).toMatchObject({ attachments: [{ name: "paper.pdf" }] });
  });

  it("[25.11] a PDF that was built to keep a reader busy is quickly attached or refused", async () => {
    await using folder = await tempWorkspace();
    await writeFile(join(folder.path, "busy.pdf"), `%PDF-1.4\n${"<</Type /Pages /Count ".repeat(400_000)}`);
    await writeFile(join(folder.path, "one.pdf"), `%PDF-1.4\n1 0 obj<<${" ".repeat(9_000_000)}>>endobj`);
    const started = performance.now();
    for (const path of ["busy.pdf", "one.pdf"])
      expect(await readTool.execute({ path }, folder.context())).toMatchObject({
        output: expect.any(String),
      });
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it("[25.11] [A38] Read, Grep and Edit refuse a FIFO and a link to /dev/zero at once", async () => {
    await using folder = await tempWorkspace();
    execFileSync("mkfifo", [join(folder.path, "pipe")]);
    await symlink("/dev/zero", join(folder.path, "zero"));
    for (const path of ["pipe", "zero"]) {
      const context = folder.context();
      const reason = path === "pipe" ? /regular file/ : /outside the workspace/;
      expect(await refusalOf(() => readTool.execute({ path }, context))).toMatch(reason);
      expect(await refusalOf(() => grepTool.execute({ path, pattern: "x" }, context))).toMatch(reason);
      const edit = { path, old_string: "a", new_string: "b" };
      expect(await refusalOf(() => editTool.execute(edit, context))).toMatch(reason);
    }
  });
});
