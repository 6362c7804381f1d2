import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { importsIn } from "./imports.ts";
import {
  type InstructionPlaces,
  problemSentence,
  readInstructions,
  readNestedInstructions,
} from "./read-instructions.ts";

let root: string;
let places: InstructionPlaces;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "cadre-instructions-"));
  const at = (name: string) => join(root, name);
  for (const name of ["project", "home", "config"]) mkdirSync(at(name));
  places = {
    folder: at("project"),
    home: at("home"),
    userFolder: at("config"),
    trusted: true,
    mayRead: () => true,
  };
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(name: string, text: string): string {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const read = async (own: Partial<InstructionPlaces> = {}, names?: string[]) => {
  const { files, problems } = await readInstructions({ ...places, ...own }, names);
  return { files: files.map(({ file }) => file), problems: problems.map(problemSentence) };
};

describe("[25.1] finding the files with instructions", () => {
  test("the user's own files come first, then the project's", async () => {
    write("config/AGENTS.md", "a");
    write("home/.claude/CLAUDE.md", "b");
    write("project/AGENTS.md", "c");
    write("project/CLAUDE.md", "d");
    write("project/CLAUDE.local.md", "e");
    const { files, problems } = await readInstructions(places);
    expect(files.map(({ text }) => text).join("")).toBe("abcde");
    expect(files.map(({ file }) => file).slice(1, 3)).toEqual(["~/.claude/CLAUDE.md", "AGENTS.md"]);
    expect(problems).toEqual([]);
  });

  test("named files replace the usual files of the project, and a missing named file is reported", async () => {
    write("project/AGENTS.md", "usual");
    write("project/docs/house.md", "named");
    expect(await read({}, ["docs/house.md", "docs/gone.md"])).toEqual({
      files: ["docs/house.md"],
      problems: ["docs/gone.md does not exist."],
    });
  });

  test("a file is read only once, even if a link or an import leads to it again", async () => {
    write("project/AGENTS.md", "see @docs/a.md");
    write("project/docs/a.md", "a");
    symlinkSync("AGENTS.md", join(root, "project/CLAUDE.md"));
    expect(await read()).toEqual({ files: ["AGENTS.md", "docs/a.md"], problems: [] });
  });

  test("if files import each other in a cycle, each file is read once and the cycle is reported", async () => {
    write("project/AGENTS.md", "@a.md");
    write("project/a.md", "@b.md");
    write("project/b.md", "@AGENTS.md");
    expect(await read()).toEqual({
      files: ["AGENTS.md", "a.md", "b.md"],
      problems: ["AGENTS.md imports itself in a circle: it was read once."],
    });
  });

  test("imports are followed up to five levels deep", async () => {
    write("project/AGENTS.md", "@1.md");
    for (let n = 1; n < 9; n++) write(`project/${n}.md`, `@${n + 1}.md`);
    const { files, problems } = await read();
    expect(files).toEqual(["AGENTS.md", "1.md", "2.md", "3.md", "4.md", "5.md"]);
    expect(problems).toEqual(["6.md was not read: imports may lead 5 files deep."]);
  });

  test("a file of the project cannot import or link to a file outside the project", async () => {
    const secret = write("elsewhere/secret.md", "secret");
    write("project/AGENTS.md", "@../elsewhere/secret.md");
    symlinkSync(secret, join(root, "project/CLAUDE.md"));
    const { files, problems } = await readInstructions(places);
    expect(JSON.stringify(files)).not.toContain('secret"');
    expect(problems).toHaveLength(2);
    for (const { message } of problems) expect(message).toBe("is outside the project, so it was not read");
  });

  test("a file of the project imports the user's own files only in a trusted folder", async () => {
    write("home/.claude/mine.md", "mine");
    write("home/notes.md", "private");
    write("project/AGENTS.md", "@~/.claude/mine.md @~/notes.md");
    expect((await read()).files).toEqual(["AGENTS.md", "~/.claude/mine.md"]);
    expect((await read({ trusted: false })).files).toEqual(["AGENTS.md"]);
  });

  test("a file that a rule denies is left out, even if another file imports it", async () => {
    write("project/AGENTS.md", "@.env.txt");
    write("project/.env.txt", "KEY=1");
    expect(await read({ mayRead: (path) => path !== ".env.txt" })).toEqual({
      files: ["AGENTS.md"],
      problems: [".env.txt was not read: a rule denies it."],
    });
  });

  test("[A38] a FIFO in place of AGENTS.md is reported, and does not block the start", async () => {
    execFileSync("mkfifo", [join(root, "project/AGENTS.md")]);
    expect((await read()).problems).toEqual(["AGENTS.md is not a file."]);
  });

  test("a folder, a binary file and a broken link are reported, and the other files are read", async () => {
    mkdirSync(join(root, "project/AGENTS.md"));
    write("project/CLAUDE.local.md", "\0");
    write("project/.claude/CLAUDE.md", "kept");
    symlinkSync("CLAUDE.md", join(root, "project/CLAUDE.md"));
    expect(await read()).toEqual({
      files: [".claude/CLAUDE.md"],
      problems: [
        "AGENTS.md is a folder, so there are no instructions in it.",
        "CLAUDE.md cannot be read (ELOOP).",
        "CLAUDE.local.md is not text.",
      ],
    });
  });

  test.skipIf(process.getuid?.() === 0)("an unreadable file is reported", async () => {
    chmodSync(write("project/AGENTS.md", "x"), 0);
    expect((await read()).problems).toEqual(["AGENTS.md cannot be read (EACCES)."]);
  });

  test("only the first 32 kB of a 10 MB file are read, up to the end of a line", async () => {
    truncateSync(write("project/AGENTS.md", `${"rule\n".repeat(8_000)}`), 10_000_000);
    const { files, problems } = await readInstructions(places);
    expect(files[0]!.text).toMatch(/^(rule\n)+\(cut here: AGENTS\.md is longer\)$/);
    expect(files[0]!.text.length).toBeLessThan(33_000);
    expect(problems).toEqual([{ file: "AGENTS.md", message: "is long: 31999 characters were read" }]);
  });

  test("at most 64 kB are read from all files together", async () => {
    for (const name of ["AGENTS.md", "CLAUDE.md", "CLAUDE.local.md"])
      write(`project/${name}`, `${name}\n`.repeat(5_000));
    const { files, problems } = await readInstructions(places);
    expect(files.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(64_500);
    expect(problems).toHaveLength(3);
  });
});

describe("[25.1] instructions in folders inside the project", () => {
  const nested = async (path: string) =>
    (await readNestedInstructions(places, path)).files.map(({ file }) => file);

  test("a file gets the instructions of the folders above it, nearest last, but not those of the project's top folder", async () => {
    for (const folder of ["", "src/", "src/api/", "docs/"]) write(`project/${folder}AGENTS.md`, folder);
    write("project/src/CLAUDE.md", "more");
    expect(await nested("src/api/new.ts")).toEqual(["src/AGENTS.md", "src/CLAUDE.md", "src/api/AGENTS.md"]);
    expect(await nested(join(root, "project/docs/a.md"))).toEqual(["docs/AGENTS.md"]);
    expect(await nested("a.ts")).toEqual([]);
    expect(await nested("src")).toEqual(["src/AGENTS.md", "src/CLAUDE.md"]);
    expect(await nested(".")).toEqual([]);
  });

  test("instruction files in `node_modules`, `vendor` and similar folders are ignored", async () => {
    write("project/node_modules/pkg/AGENTS.md", "x");
    write("project/packages/a/vendor/b/CLAUDE.md", "x");
    expect(await nested("node_modules/pkg/index.js")).toEqual([]);
    expect(await nested("packages/a/vendor/b/c.go")).toEqual([]);
  });

  test("a path outside the project gets no instructions", async () => {
    write("elsewhere/AGENTS.md", "x");
    expect(await nested("../elsewhere/a.ts")).toEqual([]);
  });
});

test.each([
  ["see @docs/a.md, and @b.txt.", ["docs/a.md", "b.txt"]],
  ["@AGENTS.md", ["AGENTS.md"]],
  ["mail a@example.com or ask @someone", []],
  ["`@code.md` and ``@code.md`` stay", []],
  ["```\n@code.md\n```\n@real.md", ["real.md"]],
  ["```sh\n@open.md", []],
  ["(@a.md) @a.md", ["a.md"]],
  ["@my\\ file.md", ["my file.md"]],
  ["@~/x.md", ["~/x.md"]],
])("[25.1] the imports in %j", (text, names) => {
  expect(importsIn(text)).toEqual(names);
});

test("a long text without imports is searched quickly", () => {
  expect(importsIn(`${"`".repeat(5_000)} ${"@".repeat(20_000)}`)).toEqual([]);
});
