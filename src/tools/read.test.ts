import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { link, mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { PDF, PNG } from "../../test/support/sample-files.ts";
import { grepTool } from "./grep.ts";
import { readTool } from "./read.ts";
import { tempWorkspace } from "./temp-workspace.fixture.ts";
import { writeTool } from "./write.ts";

describe("Read", () => {
  it("Read returns numbered lines; offset and limit select a part of the file", async () => {
    await using folder = await tempWorkspace();
    await writeFile(join(folder.path, "a.txt"), "one\r\ntwo\nthree\nfour\n");
    expect((await readTool.execute({ path: "a.txt" }, folder.context())).output).toBe(
      "1\tone\n2\ttwo\n3\tthree\n4\tfour",
    );
    expect((await readTool.execute({ path: "a.txt", offset: 2, limit: 2 }, folder.context())).output).toBe(
      "2\ttwo\n3\tthree\n(lines 2–3 of 4; continue with offset 4)",
    );
  });

  it("Read attaches an image or PDF, whatever its name; an image that is too large is refused", async () => {
    await using folder = await tempWorkspace();
    await writeFile(join(folder.path, "a.txt"), PNG);
    await writeFile(join(folder.path, "paper.pdf"), PDF);
    await writeFile(join(folder.path, "huge.png"), Buffer.concat([PNG, Buffer.alloc(6_000_000)]));
    const read = (path: string) => readTool.execute({ path }, folder.context());
    expect(await read("a.txt")).toMatchObject({
      output: `a.txt (image/png, ${PNG.length} bytes)`,
      attachments: [{ name: "a.txt", bytes: PNG }],
    });
    expect(await read("paper.pdf")).toMatchObject({ attachments: [{ bytes: PDF }] });
    expect(await read("huge.png")).toEqual({
      output:
        "huge.png is 6.0 MB, and an image can have at most 3.75 MB: make a smaller copy with Bash and read that",
      isError: true,
    });
  });

  it("Read shows a long file in parts that lose no line", async () => {
    await using folder = await tempWorkspace();
    await writeFile(join(folder.path, "big.txt"), "some words in a line\n".repeat(5_000));
    const seen: number[] = [];
    for (let offset: number | undefined = 1; offset !== undefined; ) {
      const { output } = await readTool.execute({ path: "big.txt", offset }, folder.context());
      expect(String(output).length).toBeLessThanOrEqual(30_000);
      seen.push(
        ...String(output)
          .matchAll(/^(\d+)\t/gm)
          .map(([, line]) => Number(line)),
      );
      const next = /continue with offset (\d+)\)$/.exec(String(output))?.[1];
      offset = next === undefined ? undefined : Number(next);
    }
    expect(seen).toEqual(Array.from({ length: 5_000 }, (_, index) => index + 1));
  });

  it("Read with `column` shows the rest of a very long line", async () => {
    await using folder = await tempWorkspace();
    await writeFile(join(folder.path, "min.js"), `${"a".repeat(2_000)}needle${"b".repeat(500)}\n`);
    const read = async (column?: number) =>
      String(
        (await readTool.execute({ path: "min.js", ...(column ? { column } : {}) }, folder.context())).output,
      );
    expect(await read()).toContain("(506 more characters)\n(long lines are cut: read on with column 2001)");
    expect(await read(2_001)).toBe(`1\t(2000 characters before) …needle${"b".repeat(500)}`);
  });

  it("[A71] [30.5] `column` never removes the start of a short line, because masking recognises only whole secrets", async () => {
    await using folder = await tempWorkspace();
    await writeFile(join(folder.path, ".env"), "KEY=s3cr3t-value-of-a-key\n");
    for (const column of [1, 2, 9, 20, 1_000])
      expect(await readTool.execute({ path: ".env", column }, folder.context())).toMatchObject({
        output: "1\tKEY=s3cr3t-value-of-a-key",
      });
  });

  it("Read shows the cells of a notebook with their outputs, and a broken notebook as text", async () => {
    await using folder = await tempWorkspace();
    const cell = {
      cell_type: "code",
      source: ["a = 1\n", "a"],
      outputs: [
        { text: "1\n" },
        { data: { "image/png": "x", "text/plain": "<Figure>" } },
        { ename: "KeyError", evalue: "'b'", traceback: ["\u001b[31mKeyError\u001b[0m", "line 3, in f"] },
      ],
    };
    await writeFile(join(folder.path, "a.ipynb"), `\ufeff${JSON.stringify({ cells: [cell] })}`);
    const { output } = await readTool.execute({ path: "a.ipynb" }, folder.context());
    for (const shown of [
      "# cell 1 (code)",
      "a = 1",
      "# output",
      "<Figure>\n9\t(image/png, not shown)",
      "KeyError\n12\tline 3, in f",
    ])
      expect(output).toContain(shown);
    await writeFile(join(folder.path, "b.ipynb"), "{broken");
    expect((await readTool.execute({ path: "b.ipynb" }, folder.context())).output).toBe("1\t{broken");
  });

  it("Read suggests similar names if a file does not exist, and lists the entries if the path is a folder", async () => {
    await using folder = await tempWorkspace();
    await mkdir(join(folder.path, "src"));
    await writeFile(join(folder.path, "src/server.ts"), "");
    const read = async (path: string) => (await readTool.execute({ path }, folder.context())).output;
    expect(await read("server.ts")).toBe("server.ts does not exist: did you mean src/server.ts?");
    expect(await read("src/sever.ts")).toBe("src/sever.ts does not exist: did you mean src/server.ts?");
    expect(await read("nothing-like-it.go")).toBe("nothing-like-it.go does not exist: use Glob to find it");
    expect(await read("src")).toBe("src is a folder:\nserver.ts (0 bytes)");
  });

  it("Read and Grep can open an output that was too long for the context", async () => {
    await using folder = await tempWorkspace();
    const context = folder.context({
      savedOutput: async (name) => (name === "output:m1.0" ? { text: "one\ntwo\nthree" } : undefined),
    });
    expect((await readTool.execute({ path: "output:m1.0", offset: 2, limit: 1 }, context)).output).toBe(
      "2\ttwo\n(lines 2–2 of 3; continue with offset 3)",
    );
    expect((await grepTool.execute({ pattern: "^t", path: "output:m1.0" }, context)).output).toBe(
      "2:two\n3:three",
    );
    expect(await readTool.execute({ path: "output:m9.0" }, context)).toMatchObject({ isError: true });
  });

  it("[A38] Read reads only regular text files, and explains each refusal", async () => {
    await using folder = await tempWorkspace();
    const pathTo = (name: string) => join(folder.path, name);
    execFileSync("mkfifo", [pathTo("fifo")]);
    const server = createServer().listen(pathTo("socket"));
    await once(server, "listening");
    await mkdir(pathTo("folder"));
    await writeFile(pathTo("binary"), Buffer.from([1, 0, 2]));
    await writeFile(pathTo("late"), Buffer.concat([Buffer.alloc(20_000, "a"), Buffer.from([0])]));
    await writeFile(pathTo("latin"), Buffer.from([0x66, 0xe9]));
    await writeFile(pathTo("utf16le"), Buffer.from("\ufeffhello", "utf16le"));
    await writeFile(pathTo("utf16be"), Buffer.from("\ufeffhello", "utf16le").swap16());
    await writeFile(pathTo("sparse"), "");
    await truncate(pathTo("sparse"), 10 * 1024 ** 3);
    await symlink("loop", pathTo("loop"));
    const refusalOf = async (path: string) => {
      const answer = await readTool.execute({ path }, folder.context());
      expect(answer.isError, path).toBe(true);
      return String(answer.output);
    };
    expect(await refusalOf("fifo")).toContain("not a regular file");
    expect(await refusalOf("socket")).toContain("not a regular file");
    expect(await refusalOf("binary")).toContain("is binary");
    expect(await refusalOf("late")).toContain("is binary");
    expect(await refusalOf("latin")).toContain("not UTF-8");
    expect(await refusalOf("utf16le")).toContain("is UTF-16 text");
    expect(await refusalOf("utf16be")).toContain("is UTF-16 text");
    expect(await refusalOf("sparse")).toContain("10240 MB");
    expect(await refusalOf("none")).toBe("none does not exist: use Glob to find it");
    expect(await refusalOf("binary/x")).toContain("as if it were a folder");
    expect(await refusalOf("loop")).toContain("leads back to itself");
    expect(await refusalOf("/dev/zero")).toContain("outside the workspace");
    expect(await refusalOf("/proc/self/mem")).toContain("outside the workspace");
    server.close();
  });

  it
    .runIf(process.platform === "linux")
    .each(["/dev/zero", "/dev/full", "/proc/self/environ", "/proc/self/mem", "/proc/kmsg"])(
    "[A38] Read refuses %s even if the workspace is the whole machine",
    async (path) => {
      await using folder = await tempWorkspace();
      const answer = await readTool.execute({ path }, folder.context({ workspace: "/" }));
      expect(answer.isError).toBe(true);
      expect(String(answer.output)).not.toContain("PATH=");
    },
  );

  it("[A38] a file that keeps growing is refused at the size limit", async () => {
    await using folder = await tempWorkspace();
    const path = join(folder.path, "log");
    await writeFile(path, "");
    const writer = spawn(
      "bash",
      ["--norc", "-c", `while :; do head -c 4000000 /dev/zero | tr '\\0' a; done >> "$1"`, "-", path],
      {
        stdio: "ignore",
        detached: true,
      },
    );
    try {
      for (let size = 0; size < 9_000_000; ) {
        const answer = await readTool.execute({ path: "log" }, folder.context());
        if (answer.isError) {
          expect(answer.output).toContain("MB that can be used");
          return;
        }
        size = answer.size ?? 0;
      }
    } finally {
      process.kill(-writer.pid!, "SIGKILL");
      await once(writer, "exit");
    }
  });

  it("[A38] reading a file whose size changes at the same time returns content or an error", async () => {
    await using folder = await tempWorkspace();
    const path = join(folder.path, "a");
    let going = true;
    const writer = (async () => {
      for (let i = 0; going; i++) await writeFile(path, "ab"[i % 2]!.repeat(i % 2 === 0 ? 1_000_000 : 10));
    })();
    for (let i = 0; i < 200; i++) {
      const { output, isError } = await readTool.execute({ path: "a" }, folder.context());
      if (!isError) expect(String(output)).toMatch(/^1\t[ab]+|^a is empty$/);
    }
    going = false;
    await writer;
  });

  it("[A35] Read accepts a hard link to a file outside the workspace, because a hard link looks like a regular file", async () => {
    await using outside = await tempWorkspace();
    await using folder = await tempWorkspace();
    await writeFile(join(outside.path, "a"), "shared\n");
    await link(join(outside.path, "a"), join(folder.path, "a"));
    expect((await readTool.execute({ path: "a" }, folder.context())).output).toBe("1\tshared");
  });

  it.runIf(process.platform === "linux").each([
    ["by its name", ".cadre/owner.db"],
    ["by a hard link", "notes.txt"],
  ])(
    "[O2] file tools never open a database that this process has locked (%s), because closing the file would drop the lock",
    async (_, path) => {
      await using folder = await tempWorkspace();
      await mkdir(join(folder.path, ".cadre"));
      const file = join(folder.path, ".cadre/owner.db");
      const owner = new DatabaseSync(file);
      owner.exec("CREATE TABLE t (x); BEGIN EXCLUSIVE");
      await link(file, join(folder.path, "notes.txt"));
      for (const tool of [
        () => readTool.execute({ path }, folder.context()),
        () => writeTool.execute({ path, content: "x" }, folder.context()),
        () => grepTool.execute({ pattern: "CREATE", path }, folder.context()),
        () => grepTool.execute({ pattern: "CREATE" }, folder.context()),
      ])
        await tool();
      const second = `const { DatabaseSync } = require("node:sqlite"); new DatabaseSync(process.argv[1]).exec("BEGIN EXCLUSIVE")`;
      expect(() => execFileSync(process.execPath, ["-e", second, file], { stdio: "pipe" })).toThrow("locked");
      owner.close();
    },
  );
});
