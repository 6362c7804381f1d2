// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these strings are sources
// Tests the architecture rules. No rule finds a problem in the repository, and each rule finds the problems planted for it.

import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { PLANTED } from "./architecture/planted.ts";
import { problems, RULES, treeOf } from "./architecture/rules.ts";
import { blank } from "./architecture/sources.ts";
import { chainProblems, filesOfOneStep, LONGEST_CHAIN } from "./architecture/step-chain.ts";

const repository = readRepository();
const tree = treeOf(repository);

describe.each(RULES)("$id", ({ id, title }) => {
  test(`[${id}] ${title}`, () => {
    expect(problems(tree, id)).toEqual([]);
  });

  test(`[${id}] the rule reports the violations that are planted for it`, () => {
    const { wrong, right } = PLANTED[id] ?? { wrong: {}, right: {} };
    expect(Object.keys(wrong)).not.toEqual([]);
    for (const [problem, files] of Object.entries(wrong))
      expect(problems(treeOf(new Map(Object.entries(files))), id)).toEqual([
        expect.stringContaining(problem),
      ]);
    expect(problems(treeOf(new Map(Object.entries(right))), id)).toEqual([]);
  });
});

test(`[AR19] one step of a run passes through at most ${LONGEST_CHAIN} files`, async () => {
  const files = await filesOfOneStep();
  expect(files).toEqual(expect.arrayContaining(["src/loop/drive/decide.ts", "src/stores/sqlite/store.ts"]));
  expect(chainProblems(files, tree)).toEqual([]);
});

test("[AR19] the rule reports a chain that is too long, and does not count shared vocabulary", () => {
  const users = Array.from(
    { length: 15 },
    (_, n) => [`src/loop/user${n}.ts`, 'import "../ids.ts";'] as const,
  );
  const planted = treeOf(
    new Map([...users, ["src/ids.ts", ""], ["src/clock.ts", ""], ["src/errors.ts", ""]]),
  );
  const files = ["src/ids.ts", "src/clock.ts", "src/errors.ts"];
  expect(chainProblems(files, planted, 1)).toEqual([expect.stringContaining("passes 2 files, and 1 are")]);
  expect(chainProblems(files, planted, 2)).toEqual([]);
});

test("when a source is parsed, comments, strings, templates and regular expressions are ignored", () => {
  const source = [
    'const a = "import x from \\"y\\""; // import b from "c"',
    "/* import d",
    'from "e" */ const f = `any ${g({ h: `${process.pid}` })} any`;',
    "const i = j / k / l; const m = /[/\"'`]{2}/g.test(n);",
    'import o from "p";',
  ].join("\n");
  const code = blank(source);
  expect(code.length).toBe(source.length);
  expect(code.replaceAll(/ +/g, " ")).toBe(
    [
      'const a = " "; ',
      " ",
      " const f = ` ${g({ h: `${process.pid}` })} `;",
      "const i = j / k / l; const m = / /.test(n);",
      'import o from " ";',
    ].join("\n"),
  );
});

test("[AR1] [AR5] [AR6] if one wrong import is planted in the real repository, the rules report it", () => {
  const path = "src/journal/events.ts";
  const wrong = `import "../models/model.ts";\n${repository.get(path)}`;
  const found = problems(treeOf(new Map([...repository, [path, wrong]]))).join("\n");
  expect(found).toContain("src/journal/events.ts:1: journal comes before models");
  expect(found).toContain("cycle src/journal/events.ts → src/models/model.ts → src/journal/events.ts");
  expect(found).toContain("src/journal/events.ts:1: src/models/model.ts may not run in a browser");
});

function readRepository(): Map<string, string> {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const paths = globSync(["{src,dashboard/src,test,bench,examples}/**/*.{ts,tsx}", "{SPEC,GLOSSARY}.md"], {
    cwd: root,
    exclude: ["**/node_modules", "**/dist", "examples/*/service"],
  });
  return new Map(paths.map((path) => [path.replaceAll("\\", "/"), readFileSync(`${root}/${path}`, "utf8")]));
}
