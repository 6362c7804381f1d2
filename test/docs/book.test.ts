// Compares the documentation with the repository: links work, quoted files match the real files, and quoted commands and flags exist.

import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { Command } from "commander";
import { expect, test } from "vitest";
import { addCommands } from "../../src/cli/syntax/index.ts";
import { DECLARED_KEYS } from "../../src/config/schema.ts";
import { builtinTools } from "../../src/tools/index.ts";
import { anchorsOf, type Block, blocksOf, linksOf, type Page, ROOT, readPages } from "./pages.ts";

const pages = readPages();
const blocks = pages.flatMap(blocksOf);

test("every relative link points to an existing file, and every anchor to an existing heading", () => {
  expect(pages.flatMap((page) => linksOf(page).flatMap((link) => brokenLink(page, link)))).toEqual([]);
});

test("if a code block names a file or a region of a file, the block shows exactly that text", () => {
  expect(blocks.flatMap(wrongFile)).toEqual([]);
});

test("every file or folder named in the text exists", () => {
  expect(pages.filter(({ path }) => !HISTORY.test(path)).flatMap(missingFiles)).toEqual([]);
});

test("every quoted command exists, and so do its flags", () => {
  expect(blocks.flatMap((block) => linesOf(block).flatMap((line) => unknownCommand(block, line)))).toEqual(
    [],
  );
});

test("docs/trust.md names every setting that is restricted in an untrusted folder", () => {
  const page = readFileSync(join(ROOT, "docs/trust.md"), "utf8");
  const keys = Object.entries(DECLARED_KEYS).filter(([, { untrusted }]) => untrusted !== "allowed");
  expect(keys.map(([key]) => key).filter((key) => !new RegExp(`\`${key}\\b`).test(page))).toEqual([]);
});

test("the guide to tools names every built-in tool", () => {
  const page = readFileSync(join(ROOT, "docs/guide/tools/README.md"), "utf8");
  expect(builtinTools.map(({ name }) => name).filter((name) => !page.includes(name))).toEqual([]);
});

test("the documentation checks find planted mistakes", () => {
  const page = {
    path: "docs/x.md",
    text: "# A `b`, c\n[x](none.md) [y](#a-b-c) [z](#d) [w](../README.md#none)\n",
  };
  expect(linksOf(page).flatMap((link) => brokenLink(page, link))).toHaveLength(3);
  const block = { page: "docs/x.md", line: 1, info: "json file=package.json", body: "{}\n" };
  expect(wrongFile(block)).toHaveLength(1);
  expect(
    missingFiles({ path: "docs/x.md", text: "`src/nope.ts`, `src/<name>.ts`, `src/ids.ts`" }),
  ).toHaveLength(1);
  const lines = [
    "cadre rum x",
    "cadre run --nope",
    "cadre run x && node examples/99/main.ts",
    "npm run nope",
  ];
  expect(lines.flatMap((line) => unknownCommand(block, line))).toHaveLength(4);
  expect(unknownCommand(block, 'cadre -C x agents explain "--y" # --z')).toEqual([]);
});

function brokenLink({ path, text }: Page, link: string): string[] {
  if (/^[a-z]+:/i.test(link)) return [];
  const [file, anchor] = link.split("#") as [string, string?];
  const target = file === "" ? path : normalize(join(dirname(path), decodeURI(file)));
  if (file !== "" && !existsSync(join(ROOT, target))) return [`${path}: ${link}: there is no ${target}`];
  if (anchor === undefined) return [];
  const place =
    file !== "" && statSync(join(ROOT, target)).isDirectory() ? join(target, "README.md") : target;
  if (!place.endsWith(".md")) return [];
  const words = place === path ? text : readFileSync(join(ROOT, place), "utf8");
  return anchorsOf(words).has(anchor) ? [] : [`${path}: ${link}: ${place} has no such heading`];
}

/** Pages about the past. They can name files that no longer exist. */
const HISTORY = /^(?:CHANGELOG\.md|docs\/decisions\/)/;

/** Finds paths in backquotes that do not exist. Paths with placeholders are ignored. */
function missingFiles({ path, text }: Page): string[] {
  return [
    ...text.matchAll(/`((?:src|dashboard|test|deploy|examples|bench|schemas|scripts|site)\/[\w./-]+)`/g),
  ]
    .map(([, file]) => file!)
    .filter((file) => !existsSync(join(ROOT, file)) && !MADE.test(file))
    .map((file) => `${path}: there is no ${file}`);
}

/** Files that a build or a test creates. */
const MADE = /^(?:site\/dist|dashboard\/dist|test\/e2e\/shots)/;

function wrongFile({ page, line, info, body }: Block): string[] {
  const [, file, region] = /(?:^| )file=([^\s#]+)(?:#(\S+))?/.exec(info) ?? [];
  if (file === undefined) return [];
  const path = join(ROOT, file);
  if (!existsSync(path)) return [`${page}:${line}: there is no ${file}`];
  const text = readFileSync(path, "utf8");
  const wanted = region === undefined ? text : regionOf(text, region);
  return wanted?.trim() === body.trim() ? [] : [`${page}:${line}: is not what stands in ${file}`];
}

/** The text between the comments `#region name` and `#endregion`. */
function regionOf(text: string, name: string): string | undefined {
  return new RegExp(`^.*#region ${name}$\\n([\\s\\S]*?)^.*#endregion`, "m").exec(text)?.[1];
}

const linesOf = ({ info, body }: Block): string[] =>
  /^sh\b/.test(info) ? body.replaceAll("\\\n", " ").split("\n") : [];

const program = new Command("cadre").option("-C, --folder <path>").option("--json");
addCommands(program, () => async () => {});
const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};

function unknownCommand({ page, line: at }: Pick<Block, "page" | "line">, line: string): string[] {
  return line
    .replace(/(^|\s)#.*$/, "")
    .replaceAll(/"[^"]*"|'[^']*'/g, "…")
    .split(/&&|\|\||[|;]/)
    .flatMap((part) => unknownPart(part.trim().split(/\s+/)))
    .map((problem) => `${page}:${at}: ${problem}`);
}

function unknownPart(given: readonly string[]): string[] {
  const words = given.slice(given.findIndex((word) => !/^\w+=/.test(word)));
  const name = words.slice(0, words[0] === "cadre" ? 1 : 2).join(" ");
  if (/^(cadre|npx cadre|node bin\/cadre\.js)$/.test(name))
    return unknownVerb(words.slice(name.split(" ").length));
  const script = /^npm (?:run )?(\S+)$/.exec(words.slice(0, words[1] === "run" ? 3 : 2).join(" "))?.[1];
  if (words[0] === "npm" && (words[1] === "run" || script === "start" || script === "test"))
    return script !== undefined && script in scripts ? [] : [`npm has no script ${script}`];
  const [, file] = /^node ((?:examples|bench|test|src)\/\S+)$/.exec(name) ?? [];
  return file === undefined || existsSync(join(ROOT, file)) ? [] : [`there is no ${file}`];
}

function unknownVerb(words: readonly string[]): string[] {
  const rest = words[0] === "-C" ? words.slice(2) : words;
  let command = program;
  const verbs: string[] = [];
  for (const word of rest) {
    const next = command.commands.find((each) => each.name() === word);
    if (!next) break;
    command = next;
    verbs.push(word);
  }
  if (verbs.length === 0 && /^[a-z]/.test(rest[0] ?? "") && rest[0] !== "help")
    return [`cadre has no verb ${rest[0]}`];
  const known = [...command.options, ...program.options].flatMap(({ long, short }) => [long, short]);
  return rest
    .filter((word) => /^--?[a-zA-Z]/.test(word) && !/^-(h|V)$|^--(help|version)$/.test(word))
    .map((word) => word.replace(/=.*/, ""))
    .filter((flag) => !known.includes(flag))
    .map((flag) => `cadre ${verbs.join(" ")} has no ${flag}`);
}
