// Read, Grep and Edit show and search files that hold keys only in their masked form, and say nothing about files that a rule hides.

import { generateKeyPairSync } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { createMask } from "../journal/masking/mask.ts";
import { createProjectMask } from "../project/mask.ts";
import { editTool } from "./edit.ts";
import { grepTool } from "./grep.ts";
import { readTool } from "./read.ts";
import { tempWorkspace } from "./temp-workspace.fixture.ts";
import type { ToolContext } from "./tool.ts";

const KEY = "abcdefghijklmnopqrsQ";
const PEM = generateKeyPairSync("rsa", { modulusLength: 1_024 })
  .privateKey.export({ type: "pkcs8", format: "pem" })
  .toString();
const BODY = PEM.trim().split("\n").slice(1, -1);
const mask = createMask({ list: () => [{ name: "SECRET_KEY", value: KEY }], hasChanged: () => false }).lines;

type Input = Parameters<typeof grepTool.execute>[0];

async function place(files: Record<string, string>, changes: Partial<ToolContext> = {}) {
  const folder = await tempWorkspace();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, path)), { recursive: true });
    await writeFile(join(folder.path, path), text);
  }
  const context = folder.context({ mask, ...changes });
  return {
    path: folder.path,
    grep: async (input: Input) => String((await grepTool.execute(input, context)).output),
    read: async (input: Parameters<typeof readTool.execute>[0]) =>
      String((await readTool.execute(input, context)).output),
    edit: async (input: Parameters<typeof editTool.execute>[0]) =>
      String((await editTool.execute(input, context)).output),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const showsKey = (text: string): boolean => BODY.some((line) => text.includes(line.slice(0, 16)));

describe("[A70] [30.7] Grep says nothing about the content of a file that a rule hides", () => {
  const files = { "secret.txt": "TOPSECRET-file\n", "a.txt": "open\n" };
  const mayShow = (path: string): boolean => path !== "secret.txt";

  test.each([
    [{ glob: "sec*.txt" }, ["TOPSECRET-f[i]", "TOPSECRET-f[x]", ".", "^$"]],
    [{}, ["TOPSECRET-f[i]", "TOPSECRET-f[x]", "T.{13}$"]],
    [{ context: 3 }, ["TOPSECRET-f[i]", "TOPSECRET-f[x]"]],
    [{ ignore_case: true }, ["topsecret-f[i]", "topsecret-f[x]"]],
    [{ max: 1 }, ["TOPSECRET-f[i]", "TOPSECRET-f[x]"]],
  ])("with %j the answers to %j are the same", async (options, patterns) => {
    await using there = await place(files, { mayShow });
    const answers = await Promise.all(patterns.map((pattern) => there.grep({ pattern, ...options })));
    expect(new Set(answers)).toEqual(new Set(["no match\n(some are not shown: a rule does not allow it)"]));
    expect(await there.grep({ pattern: "open" })).toContain("a.txt:1:open");
  });

  test("without a hidden file there is no such note", async () => {
    await using there = await place(files);
    expect(await there.grep({ pattern: "nothing" })).toBe("no match");
  });
});

describe("[A71] [30.5] Grep searches files with keys in their masked form", () => {
  const files = { ".env": `PORT=80\nSECRET_KEY=${KEY}\n`, "a.txt": "SECRET_KEY=other\n" };

  test.each([
    ["SECRET_KEY=a", "SECRET_KEY=b"],
    ["SECRET_KEY=.{19}Q$", "SECRET_KEY=.{19}R$"],
    ["^.{31}$", "^.{99}$"],
    ["secret|SECRET_KEY=a", "secret|SECRET_KEY=b"],
    ["KEY=abcdefghij", "KEY=abcdefghiX"],
    ["80\\nSECRET_KEY=a", "80\\nSECRET_KEY=b"],
    ["(?i)key=A", "(?i)key=B"],
  ])("%j and %j get the same answer", async (right, wrong) => {
    await using there = await place(files);
    for (const path of [".env", "."]) {
      expect(await there.grep({ pattern: right, path })).toBe(await there.grep({ pattern: wrong, path }));
      expect(await there.grep({ pattern: right, path })).not.toContain(KEY);
    }
  });

  test("names of variables and values that are not secret are found", async () => {
    await using there = await place(files);
    const lines = [".env:2:SECRET_KEY=⟦secret SECRET_KEY⟧", "a.txt:1:SECRET_KEY=other"];
    expect((await there.grep({ pattern: "SECRET_KEY" })).split("\n").sort()).toEqual(lines);
    expect(await there.grep({ pattern: "PORT", path: ".env" })).toBe(".env:1:PORT=80");
  });
});

describe("[A71] [30.5] no part of a private key is shown", () => {
  for (const file of ["key.pem", "deploy/id_rsa", "notes.txt"])
    test(`by lines, by a pattern or near a change of ${file}`, async () => {
      await using there = await place({ [file]: `first\n${PEM}last\n` });
      const texts = [
        await there.read({ path: file, offset: 4, limit: 3 }),
        await there.read({ path: file, offset: 5, limit: 1 }),
        await there.read({ path: file }),
        await there.grep({ pattern: "^[A-Za-z0-9+/=]+$", path: file }),
        await there.grep({ pattern: "^[A-Za-z0-9+/=]+$" }),
        await there.grep({ pattern: "last", path: file, context: 4 }),
        await there.edit({ path: file, old_string: "-----END PRIVATE KEX-----\nlost", new_string: "x" }),
        await there.edit({ path: file, old_string: `${BODY[0]!.slice(0, 40)}XX`, new_string: "x" }),
        await there.edit({ path: file, old_string: "last\n", new_string: "end\n" }),
      ];
      expect(texts.map(showsKey)).toEqual(texts.map(() => false));
      expect(texts[0]).toBe(
        `4\t⟦secret private-key⟧\n5\t⟦secret private-key⟧\n6\t⟦secret private-key⟧\n(lines 4–6 of ${PEM.trim().split("\n").length + 2}; continue with offset 7)`,
      );
      expect(texts.at(-1)).toMatch(/^modified .*\n.*⟦secret private-key⟧/);
    });

  test("the mask knows each line of the project's key files, so no command shows one", async () => {
    await using there = await place({ "tls/server.key": PEM, "deploy/id_rsa": PEM, "cert.pem": "no key\n" });
    const known = createProjectMask({ folder: there.path, env: {} });
    expect(BODY.slice(0, -1).map(known.text)).toEqual(BODY.slice(0, -1).map(() => "⟦secret private-key⟧"));
    expect(known.text(`tls/server.key:3:${BODY[2]}`)).toBe("tls/server.key:3:⟦secret private-key⟧");
  });

  test("a known secret is not shown in pieces where Edit compares two texts, or where a long line is cut", async () => {
    await using there = await place({
      "a.json": `{ "pad": "${"x".repeat(300)}", "key": "${KEY}" }\n"key": "${KEY}",\n`,
    });
    const text = await there.edit({ path: "a.json", old_string: `"key": "abcdefghijkl",`, new_string: "x" });
    expect(text).not.toContain("abcdefghijklm");
    expect(await there.grep({ pattern: "pad|key" })).not.toContain("mnopqrsQ");
  });
});
