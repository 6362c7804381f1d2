import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { editTool } from "./edit.ts";
import { HELD_UP_MS, longestWait } from "./event-loop.fixture.ts";
import { tempWorkspace } from "./temp-workspace.fixture.ts";
import { writeTool } from "./write.ts";

describe("Edit", () => {
  const run = async (
    before: string,
    edit: { old_string: string; new_string: string; replace_all?: boolean },
  ) => {
    await using folder = await tempWorkspace();
    await writeFile(join(folder.path, "a"), before);
    const answer = await editTool.execute({ path: "a", ...edit }, folder.context());
    return { ...answer, after: await readFile(join(folder.path, "a"), "utf8") };
  };

  it("Edit replaces the only occurrence, and treats $ in the new text as plain text", async () => {
    const done = await run("a b c", { old_string: "b", new_string: "$& $1" });
    expect(done).toMatchObject({
      after: "a $& $1 c",
      output: "modified a (1 place)\n1\ta $& $1 c",
      files: [{ path: "a", change: "modified" }],
    });
  });

  it("Edit refuses an old_string that is missing, ambiguous or equal to new_string, and changes nothing", async () => {
    expect(await run("a", { old_string: "x", new_string: "y" })).toMatchObject({ isError: true, after: "a" });
    expect(await run("x x", { old_string: "x", new_string: "y" })).toMatchObject({
      isError: true,
      output:
        "a holds old_string 2 times (lines 1, 1): add lines around it, or set replace_all; nothing was changed",
      after: "x x",
    });
    expect(await run("x", { old_string: "x", new_string: "x" })).toMatchObject({ isError: true });
    expect(await run("x x", { old_string: "x", new_string: "y", replace_all: true })).toMatchObject({
      after: "y y",
    });
  });

  it("Edit keeps CR LF and the byte order mark", async () => {
    const done = await run("\ufeffone\r\ntwo\r\nthree\r\n", { old_string: "one\ntwo", new_string: "1\n2" });
    expect(done.after).toBe("\ufeff1\r\n2\r\nthree\r\n");
  });

  it.each([
    ["a replacement", "old", { old_string: "old", new_string: "new" }],
    [
      "a new text that contains the old one",
      "import a",
      { old_string: "import a", new_string: "import a\nimport b" },
    ],
    ["a deletion", "gone rest", { old_string: "gone ", new_string: "" }],
    ["an edit with replace_all", "x y x", { old_string: "x", new_string: "xx", replace_all: true }],
  ])(
    "[P4] a repeated call applies %s only once, and never to a file that someone else changed",
    async (_, before, edit) => {
      await using folder = await tempWorkspace();
      const path = join(folder.path, "a");
      const input = { path: "a", ...edit };
      await writeFile(path, before);
      const fingerprints = await editTool.fingerprints!(input, folder.context());
      const context = (attempt: number) => folder.context({ attempt, fingerprints: fingerprints! });
      // If the first attempt was killed before it wrote the file, the second attempt writes it.
      // If the first attempt was killed after the write, the second attempt sees that the edit is already done.
      expect(await editTool.execute(input, context(2))).not.toHaveProperty("isError");
      const after = await readFile(path, "utf8");
      expect(after).not.toBe(before);
      expect(await editTool.execute(input, context(3))).toEqual({
        output: "a is as this call leaves it: an earlier attempt had done it",
        files: [{ path: "a", change: "modified" }],
        seen: { path: "a", fingerprint: fingerprints?.after },
      });
      expect(await readFile(path, "utf8")).toBe(after);
      await writeFile(path, `${before}, and another's`);
      expect(await editTool.execute(input, context(2))).toMatchObject({ isError: true, stale: true });
      expect(await readFile(path, "utf8")).toBe(`${before}, and another's`);
    },
  );

  it("a first attempt fails if the old text is missing, even if the new text is already in the file", async () => {
    expect(await run("new", { old_string: "old", new_string: "new" })).toMatchObject({ isError: true });
  });

  it("the preview shows the edit, or says why it will be refused", async () => {
    await using folder = await tempWorkspace();
    await writeFile(join(folder.path, "a"), "x\n");
    const preview = await editTool.preview!(
      { path: "a", old_string: "x", new_string: "y" },
      folder.context(),
    );
    expect(preview.text).toContain("-x\n+y");
    const refused = await editTool.preview!(
      { path: "a", old_string: "z", new_string: "y" },
      folder.context(),
    );
    expect(refused).toEqual({
      text: expect.stringContaining("Will be refused: a does not hold old_string"),
      fingerprint: preview.fingerprint,
    });
  });

  it("Edit neither adds nor removes a newline at the end of the file", async () => {
    expect((await run("a\nb", { old_string: "b", new_string: "c" })).after).toBe("a\nc");
    expect((await run("a\nb\n", { old_string: "b", new_string: "c" })).after).toBe("a\nc\n");
  });

  it("Edit works across mixed line endings, and leaves the other lines as they are", async () => {
    const done = await run("a\r\nb\nc\r\n", { old_string: "a\nb", new_string: "x" });
    expect(done.after).toBe("x\r\nc\r\n");
    expect((await run("a\r\nb\nc", { old_string: "b", new_string: "x" })).after).toBe("a\r\nx\nc");
  });

  it("if one of several edits in a call fails, none of them is made", async () => {
    await using folder = await tempWorkspace();
    await writeFile(join(folder.path, "a"), "one\ntwo\nthree\n");
    const edit = (...edits: [string, string][]) =>
      editTool.execute(
        { path: "a", edits: edits.map(([old_string, new_string]) => ({ old_string, new_string })) },
        folder.context(),
      );
    expect((await edit(["one", "1"], ["three", "3"])).output).toBe(
      "modified a (2 places)\n1\t1\n2\ttwo\n3\t3",
    );
    const refused = await edit(["two", "2"], ["twos", "4"]);
    // The error shows similar lines of the file on disk, which the first edit has not changed.
    expect(refused).toMatchObject({
      isError: true,
      output: expect.stringMatching(/^a was left as it is, because of edit 2 of 2: [\s\S]*\n2\ttwo\n/),
    });
    const overlapping = await edit(["two", "2"], ["two", "4"]);
    expect(overlapping.output).toContain(
      "edit 2 of 2: it no longer holds old_string after the edits before it",
    );
    expect(await readFile(join(folder.path, "a"), "utf8")).toBe("1\ntwo\n3\n");
  });

  it("if the result of an edit would be too large, Edit refuses the edit before it builds the text", async () => {
    const done = await run("a".repeat(1_000_000), {
      old_string: "a",
      new_string: "b".repeat(1_000_000),
      replace_all: true,
    });
    expect(done).toMatchObject({ isError: true, output: expect.stringContaining("longer than the 10 MB") });
  });

  it("Edit refuses an empty old_string", async () => {
    await using folder = await tempWorkspace();
    await writeFile(join(folder.path, "a"), "");
    const input = { path: "a", old_string: "", new_string: "x" };
    const { output, isError } = await editTool.execute(input, folder.context());
    expect(isError).toBe(true);
    expect(output).toMatch(/old_string is empty: .*Write.*; nothing was changed$/);
  });

  it("Edit refuses notebooks, missing files and binary files, and says what to do instead", async () => {
    await using folder = await tempWorkspace();
    await writeFile(join(folder.path, "a.ipynb"), "x");
    await writeFile(join(folder.path, "latin"), Buffer.from([0x78, 0xe9]));
    const refusalOf = async (path: string) => {
      const answer = await editTool.execute({ path, old_string: "x", new_string: "y" }, folder.context());
      expect(answer.isError).toBe(true);
      return answer.output;
    };
    expect(await refusalOf("a.ipynb")).toContain("nbformat");
    expect(await refusalOf("none")).toContain(
      "use Glob to find the file that you mean, or Write to create it",
    );
    expect(await refusalOf("latin")).toContain("iconv");
    expect(await readFile(join(folder.path, "latin"))).toEqual(Buffer.from([0x78, 0xe9]));
  });

  it("Edit keeps the file mode", async () => {
    await using folder = await tempWorkspace();
    await writeFile(join(folder.path, "a"), "x", { mode: 0o755 });
    await editTool.execute({ path: "a", old_string: "x", new_string: "y" }, folder.context());
    expect((await stat(join(folder.path, "a"))).mode & 0o777).toBe(0o755);
  });

  it("[A65] the preview of a diff between two long, different texts does not block the event loop", async () => {
    await using folder = await tempWorkspace();
    const lines = (seed: number) =>
      Array.from({ length: 60_000 }, (_, i) => `${(i * seed) % 99_991}`).join("\n");
    await writeFile(join(folder.path, "a"), `x${lines(7)}`);
    const wait = await longestWait(async () => {
      const { text } = await writeTool.preview!({ path: "a", content: lines(11) }, folder.context());
      expect(text.length).toBeLessThan(31_000);
    });
    expect(wait).toBeLessThan(HELD_UP_MS);
  });
});
