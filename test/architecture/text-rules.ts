// Rules about the text of a file: the use of `any`, exports, names, and the ids that tests cite.

import type { Rule, Tree } from "./rule.ts";
import { lineAt, type Source } from "./sources.ts";

export const textRules: Rule[] = [
  {
    id: "AR11",
    title: "the code outside tests uses no `any`, unless a biome-ignore says why",
    check: ({ sources }) => sources.filter((source) => !source.isTest).flatMap(unexplainedAny),
  },
  {
    id: "AR12",
    title: "no file uses `export *`, and no index file re-exports other files",
    check: ({ sources }) =>
      sources.flatMap(({ path, code }) => {
        const places = (pattern: RegExp, problem: string) =>
          Array.from(code.matchAll(pattern), ({ index }) => `${path}:${lineAt(code, index)}: ${problem}`);
        const isList = /^src\/.+\/index\.ts$/.test(path);
        return [
          ...places(/^export\s+(?:type\s+)?\*/gm, "`export *` hides what is exported"),
          ...(isList
            ? places(/^export\b[^;=*("']*\bfrom\b/gm, "a list does not export other files again")
            : []),
        ];
      }),
  },
  {
    id: "AR13",
    title: "names in src avoid the words that the glossary tells us to avoid",
    check: wrongWords,
  },
  {
    id: "AR14",
    title: "every id that a test cites exists",
    check: unknownIds,
  },
];

const ANY_TYPE = /(?:[:<,|&=(]|=>|\b(?:as|extends|satisfies|is|keyof|readonly))\s*any\b(?!\s*[(:.?])/g;

function unexplainedAny(source: Source): string[] {
  const lines = source.text.split("\n");
  return Array.from(source.code.matchAll(ANY_TYPE), (found) =>
    lineAt(source.code, found.index + found[0].length),
  )
    .filter((line) => !/biome-ignore lint\/suspicious\/noExplicitAny: \S+/.test(lines[line - 2] ?? ""))
    .map((line) => `${source.path}:${line}: \`any\`, and no biome-ignore that says why`);
}

const DECLARED = /\b(?:const|let|function\*?|class|interface|type)\s+(\w+)/g;

/** Checks only names that we choose ourselves, which are declarations and file names. Names from libraries are not checked. */
function wrongWords({ files, sources }: Tree): string[] {
  const avoided = avoidedWords(files.get("GLOSSARY.md") ?? "");
  const judge = (name: string, { path, code }: Source, index: number) => {
    const words = ` ${wordsOf(name)} `;
    return [...avoided]
      .filter(([wrong]) => words.includes(` ${wrong} `))
      .map(
        ([wrong, right]) =>
          `${path}:${lineAt(code, index)}: \`${name}\` says "${wrong}"; our word is "${right}"`,
      );
  };
  return sources
    .filter((source) => source.path.startsWith("src/") && !source.isTest)
    .flatMap((source) => [
      ...judge(source.path.replace(/^.*\//, "").replace(/\.tsx?$/, ""), source, 0),
      ...Array.from(source.code.matchAll(DECLARED)).flatMap((found) =>
        judge(found[1] ?? "", source, found.index),
      ),
    ]);
}

/** Reads the rows `word | meaning | avoid` of a table. Returns each word to avoid, together with the word to use instead. */
export function avoidedWords(glossary: string): Map<string, string> {
  const rows = glossary.split("\n").filter((line) => line.startsWith("|"));
  const [header = [], ...body] = rows.map((row) => row.split("|").slice(1, -1).map(plain));
  const [word, avoid] = [header.indexOf("word"), header.indexOf("avoid")];
  if (word === -1 || avoid === -1) return new Map();
  return new Map(
    body
      .filter((cells) => !/^[-: ]*$/.test(cells[word] ?? ""))
      .flatMap((cells) =>
        (cells[avoid] ?? "")
          .split(/[,;·]/)
          .map(wordsOf)
          .filter((wrong) => wrong !== "")
          .map((wrong): [string, string] => [wrong, cells[word] ?? ""]),
      ),
  );
}

/** The text of a table cell, without Markdown and without remarks in parentheses. */
const plain = (cell: string): string =>
  cell
    .replaceAll(/\(.*?\)|[`*_]/g, "")
    .trim()
    .toLowerCase();

/** Splits a name into words. The result for `runTaskList`, `run-task-list` and `RUN_TASK_LIST` is `run task list`. */
const wordsOf = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, "$1$3 $2$4")
    .split(/[^A-Za-z0-9]+/)
    .join(" ")
    .trim()
    .toLowerCase();

/** The ids in FAULTS and DESIGN and the ids of the architecture rules. SPEC.md defines more ids. */
const KNOWN_IDS = new Set([
  ...["F 1 50", "A 1 79", "A 80 99", "U 1 55"].flatMap((range) => idsOf(range, 2)),
  ...["I 1 11", "J 1 11", "B 1 4", "D 0 6", "E 1 7", "P 1 13", "L 1 20", "AR 1 14"].flatMap((range) =>
    idsOf(range, 1),
  ),
]);

const CITED = /^(?:\[[A-Z]{1,3}\d{1,2}\b[^\]]*\]\s*)+/;

function unknownIds({ files, sources }: Tree): string[] {
  const spec = files.get("SPEC.md");
  if (spec === undefined) return [];
  const inSpec = new Set(idsIn(spec));
  return sources
    .filter((source) => source.isTest)
    .flatMap((source) =>
      Array.from(source.code.matchAll(/["'`]/g)).flatMap(({ index }) =>
        idsIn(CITED.exec(source.text.slice(index + 1, index + 100))?.[0] ?? "")
          .filter((id) => !inSpec.has(id) && !KNOWN_IDS.has(id))
          .map((id) => `${source.path}:${lineAt(source.text, index)}: ${id} is in no list of ours`),
      ),
    );
}

const idsIn = (text: string): string[] => text.match(/\b[A-Z]{1,3}\d{1,2}\b/g) ?? [];

/** Expands a range of ids. The result for `F 1 50` with two digits is F01, F02, … F50. */
function idsOf(range: string, digits: number): string[] {
  const [group = "", first, last] = range.split(" ");
  const count = Number(last) - Number(first) + 1;
  return Array.from({ length: count }, (_, at) => group + String(Number(first) + at).padStart(digits, "0"));
}
