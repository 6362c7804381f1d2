import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { editTool } from "./edit.ts";
import { lsTool } from "./ls.ts";
import { readTool } from "./read.ts";
import { tempWorkspace } from "./temp-workspace.fixture.ts";
import { writeTool } from "./write.ts";

describe("Read", () => {
  it("numbers lines and shows a window of them", async () => {
    await using folder = await tempWorkspace();
    await writeFile(join(folder.path, "a.txt"), "one\r\ntwo\nthree\nfour\n");
    expect((await readTool.execute({ path: "a.txt" }, folder.context())).output).toBe(
      "1\tone\n2\ttwo\n3\tthree\n4\tfour",
    );
    expect((await readTool.execute({ path: "a.txt", offset: 2, limit: 2 }, folder.context())).output).toBe(
      "2\ttwo\n3\tthree\n(1 more lines: go on with offset 4)",
    );
  });

  it("keeps more than fits the context by reference", async () => {
    await using folder = await tempWorkspace();
    await writeFile(join(folder.path, "big.txt"), "some words in a line\n".repeat(5_000));
    const answer = await readTool.execute({ path: "big.txt", limit: 5_000 }, folder.context());
    expect(String(answer.output).length).toBeLessThan(31_000);
    expect(answer.full).toContain("5000\tsome words");
  });

  it("[A38] takes regular text files only, and says why not", async () => {
    await using folder = await tempWorkspace();
    const at = (name: string) => join(folder.path, name);
    execFileSync("mkfifo", [at("fifo")]);
    await mkdir(at("folder"));
    await writeFile(at("binary"), Buffer.from([1, 0, 2]));
    await writeFile(at("latin"), Buffer.from([0x66, 0xe9]));
    await writeFile(at("sparse"), "");
    await truncate(at("sparse"), 10 * 1024 ** 3);
    const said = async (path: string) => String((await readTool.execute({ path }, folder.context())).output);
    expect(await said("fifo")).toContain("not a regular file");
    expect(await said("folder")).toContain("is a folder");
    expect(await said("binary")).toContain("is binary");
    expect(await said("latin")).toContain("not UTF-8");
    expect(await said("sparse")).toContain("10240 MB");
    expect(await said("none")).toBe("none does not exist");
    expect(await said("binary/x")).toContain("as if it were a folder");
  });
});

describe("Write", () => {
  it("creates folders, keeps the mode, reports what changed, leaves nothing else behind", async () => {
    await using folder = await tempWorkspace();
    const created = await writeTool.execute({ path: "a/b/c.txt", content: "x\n" }, folder.context());
    expect(created).toEqual({
      output: "created a/b/c.txt (1 lines)",
      files: [{ path: "a/b/c.txt", change: "created" }],
    });
    await chmod(join(folder.path, "a/b/c.txt"), 0o755);
    const modified = await writeTool.execute({ path: "a/b/c.txt", content: "y\n" }, folder.context());
    expect(modified.files).toEqual([{ path: "a/b/c.txt", change: "modified" }]);
    expect((await stat(join(folder.path, "a/b/c.txt"))).mode & 0o777).toBe(0o755);
    expect(await readdir(join(folder.path, "a/b"))).toEqual(["c.txt"]);
  });

  it("[P4] the same again is the same effect", async () => {
    await using folder = await tempWorkspace();
    await writeTool.execute({ path: "a", content: "x" }, folder.context());
    const before = await stat(join(folder.path, "a"));
    const again = await writeTool.execute({ path: "a", content: "x" }, folder.context({ attempt: 2 }));
    expect(again).toEqual({
      output: "a already has exactly this content",
      files: [{ path: "a", change: "modified" }],
    });
    expect((await stat(join(folder.path, "a"))).mtimeMs).toBe(before.mtimeMs);
  });

  it("replaces in one step: a reader sees the old content or the new, never a part", async () => {
    await using folder = await tempWorkspace();
    const path = join(folder.path, "a");
    const contents = ["a", "b"].map((letter) => letter.repeat(2_000_000));
    await writeFile(path, contents[0]!);
    let writing = true;
    const seen = new Set<string>();
    const reader = (async () => {
      while (writing) {
        const text = await readFile(path, "utf8");
        seen.add(`${text[0]}${text.length}${text.at(-1)}`);
      }
    })();
    for (let i = 1; i < 12; i++)
      await writeTool.execute({ path: "a", content: contents[i % 2]! }, folder.context());
    writing = false;
    await reader;
    for (const shape of seen) expect(["a2000000a", "b2000000b"]).toContain(shape);
  });

  it("a kill leaves a whole file, and the next attempt clears up what the first left behind", async () => {
    await using folder = await tempWorkspace();
    const path = join(folder.path, "a");
    await writeFile(path, "start");
    const script = `
      const { writeTool } = await import(${JSON.stringify(import.meta.resolve("./write.ts"))});
      const context = ${JSON.stringify({ ...folder.context(), signal: { aborted: false } })};
      for (let i = 0; ; i++) await writeTool.execute({ path: "a", content: "ab"[i % 2].repeat(3_000_000) }, context);`;
    for (let round = 0; round < 3; round++) {
      const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "ignore" });
      const temporary = await vi.waitFor(
        async () =>
          (await readdir(folder.path)).find((name) => name.endsWith(".tmp")) ??
          expect.fail("not writing yet"),
        { timeout: 10_000, interval: 1 },
      );
      child.kill("SIGKILL");
      await once(child, "exit");
      expect(temporary).toMatch(/^\.a\.\w+\.tmp$/);
      expect(await readFile(path, "utf8")).toMatch(/^(start|a{3000000}|b{3000000})$/);
    }
    await writeTool.execute({ path: "a", content: "end" }, folder.context({ attempt: 2 }));
    expect(await readdir(folder.path)).toEqual(["a"]);
  });

  it("replaces a binary file and keeps its mode; its fingerprint follows its bytes", async () => {
    await using folder = await tempWorkspace();
    const path = join(folder.path, "a");
    await writeFile(path, Buffer.from([0, 1]), { mode: 0o700 });
    const input = { path: "a", content: "x" };
    const first = await writeTool.preview!(input, folder.context());
    await writeFile(path, Buffer.from([0, 2]));
    expect((await writeTool.preview!(input, folder.context())).fingerprint).not.toBe(first.fingerprint);
    expect(await writeTool.execute(input, folder.context())).toMatchObject({
      output: "modified a (1 lines)",
    });
    expect((await stat(path)).mode & 0o777).toBe(0o700);
  });

  it("refuses a folder, with one sentence", async () => {
    await using folder = await tempWorkspace();
    await mkdir(join(folder.path, "d"));
    expect(await writeTool.execute({ path: "d", content: "x" }, folder.context())).toEqual({
      output: "d is a folder: use LS to see what is in it; nothing was written",
      isError: true,
    });
    await writeFile(join(folder.path, "f"), "");
    expect(await writeTool.execute({ path: "f/x", content: "x" }, folder.context())).toMatchObject({
      isError: true,
    });
  });

  it("previews the difference with hidden characters made visible, and a fingerprint that follows the file", async () => {
    await using folder = await tempWorkspace();
    const input = { path: "a", content: "safe \u202egnp.exe\x1b[2K\n" };
    const absent = await writeTool.preview!(input, folder.context());
    expect(absent.fingerprint).toBe("absent");
    expect(absent.text).toContain("+safe ⟦U+202E⟧gnp.exe⟦U+001B⟧[2K");
    await writeFile(join(folder.path, "a"), "old\n");
    const present = await writeTool.preview!(input, folder.context());
    expect(present.text).toContain("-old");
    expect(present.fingerprint).not.toBe("absent");
    await writeFile(join(folder.path, "a"), "older\n");
    expect((await writeTool.preview!(input, folder.context())).fingerprint).not.toBe(present.fingerprint);
  });
});

describe("Edit", () => {
  const run = async (
    before: string,
    edit: { old_string: string; new_string: string; replace_all?: boolean },
    attempt = 1,
  ) => {
    await using folder = await tempWorkspace();
    await writeFile(join(folder.path, "a"), before);
    const answer = await editTool.execute({ path: "a", ...edit }, folder.context({ attempt }));
    return { ...answer, after: await readFile(join(folder.path, "a"), "utf8") };
  };

  it("replaces the one place, literally", async () => {
    const done = await run("a b c", { old_string: "b", new_string: "$& $1" });
    expect(done).toMatchObject({
      after: "a $& $1 c",
      output: "modified a (1 place)",
      files: [{ path: "a", change: "modified" }],
    });
  });

  it("refuses what is absent, ambiguous or no change, and changes nothing", async () => {
    expect(await run("a", { old_string: "x", new_string: "y" })).toMatchObject({ isError: true, after: "a" });
    expect(await run("x x", { old_string: "x", new_string: "y" })).toMatchObject({
      isError: true,
      output: "old_string occurs 2 times: add lines around it, or set replace_all; a was not changed",
      after: "x x",
    });
    expect(await run("x", { old_string: "x", new_string: "x" })).toMatchObject({ isError: true });
    expect(await run("x x", { old_string: "x", new_string: "y", replace_all: true })).toMatchObject({
      after: "y y",
    });
  });

  it("keeps CR LF and the byte order mark", async () => {
    const done = await run("\ufeffone\r\ntwo\r\nthree\r\n", { old_string: "one\ntwo", new_string: "1\n2" });
    expect(done.after).toBe("\ufeff1\r\n2\r\nthree\r\n");
  });

  it.each([
    ["already applied", "new", { old_string: "old", new_string: "new" }, "new"],
    [
      "already applied, the new text holds the old",
      "import a\nimport b",
      { old_string: "import a", new_string: "import a\nimport b" },
      "import a\nimport b",
    ],
    ["a deletion already applied", "rest", { old_string: "gone", new_string: "" }, "rest"],
    ["not applied yet", "old", { old_string: "old", new_string: "new" }, "new"],
    [
      "not applied yet, the new text holds the old",
      "import a",
      { old_string: "import a", new_string: "import a\nimport b" },
      "import a\nimport b",
    ],
  ])("[P4] a second attempt does not apply twice: %s", async (_, before, edit, after) => {
    const done = await run(before, edit, 2);
    expect(done.after).toBe(after);
    expect(done.isError).toBeUndefined();
  });

  it("a first attempt never takes another's text for its own", async () => {
    expect(await run("new", { old_string: "old", new_string: "new" }, 1)).toMatchObject({ isError: true });
  });

  it("previews the edit, or why it will be refused", async () => {
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
      text: expect.stringContaining("Will be refused: old_string does not occur"),
      fingerprint: preview.fingerprint,
    });
  });
});

describe("LS", () => {
  it("lists folders first, with sizes, and is bounded", async () => {
    await using folder = await tempWorkspace();
    await mkdir(join(folder.path, "z"));
    await writeFile(join(folder.path, "a"), "12");
    expect((await lsTool.execute({}, folder.context())).output).toBe("z/\na (2 bytes)");
    expect((await lsTool.execute({ path: "a" }, folder.context())).output).toBe("a is a file: use Read");
    await Promise.all(Array.from({ length: 1_100 }, (_, i) => writeFile(join(folder.path, "z", `${i}`), "")));
    expect((await lsTool.execute({ path: "z" }, folder.context())).output).toContain(
      "(100 more are not shown)",
    );
  });
});
