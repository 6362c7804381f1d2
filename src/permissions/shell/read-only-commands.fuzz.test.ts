// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these strings are shell
// Generates commands from the shell's grammar. Each command that is allowed without approval is really run.
// Such a command must leave no trace: no changed file, no connection, and no program outside the read-only list.
// The seed is fixed. Set FC_RUNS for more commands and FC_SEED for different commands.

import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Playground, playground } from "../../../test/support/playground.ts";
import { READ_ONLY_COMMANDS, type ReadOnlySpec } from "./read-only-commands.ts";

const RUNS = Number(process.env["FC_RUNS"] ?? 300);
const SEED = Number(process.env["FC_SEED"] ?? 2026);

let ground: Playground;
beforeAll(async () => {
  ground = await playground();
});
afterAll(() => ground.close());

it("[A26] [A29] a randomly generated command that is allowed without a rule changes no file", {
  timeout: 7_200_000,
}, async () => {
  let ran = 0;
  await fc.assert(
    fc.asyncProperty(script(), async (command) => {
      if (ground.judge(command).verdict !== "allow") return;
      ran++;
      const { output, traces } = await ground.run(command);
      expect(traces, JSON.stringify(command)).toEqual([]);
      expect(output, JSON.stringify(command)).not.toContain("OUTSIDE");
      expect(output, JSON.stringify(command)).not.toContain("[killed");
    }),
    { numRuns: RUNS, seed: SEED, verbose: 1 },
  );
  if (process.env["FC_RUNS"]) console.info(`${ran} of ${RUNS} were run`);
  expect(ran).toBeGreaterThan(RUNS / 8);
});

/** One to three commands joined by shell operators. Half of the scripts also contain a part that should need approval. */
function script(): fc.Arbitrary<string> {
  const part = fc.tuple(command(), fc.constantFrom(...JOINTS));
  const joinParts = (one: fc.Arbitrary<[string, string]>) =>
    fc
      .array(one, { minLength: 1, maxLength: 3 })
      .map((parts) =>
        parts.map(([text, joint], at) => (at < parts.length - 1 ? text + joint : text)).join(""),
      );
  const decorated = fc
    .tuple(joinParts(part), fc.constantFrom(...BEFORE), fc.constantFrom(...BEHIND), fc.nat(3))
    .map(([text, before, behind, where]) =>
      where === 0 ? before + text : where === 1 ? `${before}${text}${behind}` : text + behind,
    );
  const broken = fc
    .tuple(joinParts(part), fc.constantFrom(...ODDITIES), fc.nat(200))
    .map(([text, oddity, at]) => {
      const middle = at % (text.length + 1);
      return text.slice(0, middle) + oddity + text.slice(middle);
    });
  return fc.oneof(
    { arbitrary: joinParts(part), weight: 2 },
    { arbitrary: decorated, weight: 1 },
    { arbitrary: broken, weight: 1 },
  );
}

const JOINTS = [" | ", " | ", " && ", " || ", "; ", "\n", " & ", "|&", ";", " 2>&1 | ", " 2>/dev/null; "];

/** Text that is put before a command: wrappers, variables, redirections, a change of folder. */
const BEFORE = [
  ...[
    "A=1 ",
    "PATH=. ",
    "GIT_EXTERNAL_DIFF=X ",
    "GIT_PAGER=X ",
    "BASH_ENV=run.sh ",
    "LD_PRELOAD=./run.sh ",
    "IFS=a ",
  ],
  ...[
    "env ",
    "eval ",
    "exec ",
    "command ",
    "time ",
    "xargs ",
    "nohup ",
    "sh -c ",
    ". ./run.sh; ",
    "! ",
    "coproc ",
  ],
  ...[
    "> canary ",
    "cd .. && ",
    "(",
    "{ ",
    "if ",
    "set -x; ",
    "X; ",
    "X | ",
    "X & ",
    "f() { X; }; f; ",
    "export A=1; ",
  ],
];

/** Text that is put after a command: redirections, further commands, words whose value is known only at run time. */
const BEHIND = [
  ...[
    " > canary",
    " >> canary",
    " >| canary",
    " &> canary",
    " &>> canary",
    " <> canary",
    " 2> F",
    " >& F",
    " 3> F",
  ],
  ...[
    " < a.txt",
    " < src/link",
    " < ../outside/secret",
    " > /dev/null",
    " 2>&1",
    " 2>/dev/null",
    " < /etc/hostname",
  ],
  ...[
    " $(X)",
    " `X`",
    " <(X)",
    ' "$(X)"',
    " ${a:=$(X)}",
    " $((a[$(X)]))",
    " >(X)",
    " $X",
    " *",
    " ~",
    " {a.txt,-o}",
  ],
  ...[
    "; X",
    " && X",
    " || X",
    " | X",
    " & X",
    "\nX",
    " |& X",
    " | tee canary",
    " | sh",
    " | xargs X",
    "; ./run.sh",
  ],
  ...[
    " <<E\n$(X)\nE\n",
    " <<< $(X)",
    " # X",
    " \\\n; X",
    "\r",
    "\u0000",
    " -o canary",
    " --output=canary",
    " -exec X {} +",
  ],
  ...[
    " -delete",
    " -fprint canary",
    " --pre=X",
    " -i",
    " --format=%G?",
    " --show-signature",
    " --ext-diff",
    " -f",
  ],
];

const ODDITIES = [
  ...[
    "$(X)",
    "`X`",
    "<(X)",
    "*",
    "?",
    "[a]",
    "~",
    "{",
    "}",
    "(",
    ")",
    "!",
    "#",
    "$",
    "'",
    '"',
    "\\",
    "\\\n",
    "&",
    "|",
    ";",
  ],
  ...[
    "\r",
    "\u0000",
    "\u000b",
    "\u00a0",
    "\u2028",
    "\u001b",
    "\n",
    "\nX\n",
    ";X;",
    "&X;",
    " > canary ",
    "$'\\x20'",
  ],
  ...["<<E\nX\nE\n", "<<<X", "-", "--", "=", "%G?", "é", " -o canary "],
];

/** Usually a known command with known flags. Its words are quoted in various ways. */
function command(): fc.Arbitrary<string> {
  const known = fc.constantFrom(...READ_ONLY_COMMANDS.entries()).chain(([name, spec]) =>
    fc
      .tuple(
        fc.array(fc.oneof({ arbitrary: flag(spec), weight: 30 }, { arbitrary: danger(), weight: 1 }), {
          maxLength: 3,
        }),
        fc.array(fc.oneof({ arbitrary: operand(spec), weight: 40 }, { arbitrary: danger(), weight: 1 }), {
          // Some commands take no operands and are refused if they get one.
          maxLength: spec.operands === undefined ? 0 : 3,
        }),
        fc.array(quoting(), { minLength: 7, maxLength: 7 }),
      )
      .map(([flags, operands, quotes]) =>
        [name, ...[...flags, ...operands].map((word, at) => quotes[at]!(word))].join(" "),
      ),
  );
  const sed = fc
    .tuple(fc.constantFrom("1p", "1,2p", "1,$p", "1w canary", "1e X", "p"), fc.constantFrom(...PATHS))
    .map(([line, path]) => `sed -n '${line}' ${path}`);
  const other = fc
    .tuple(fc.constantFrom(...PROGRAMS), fc.constantFrom(...PATHS))
    .map(([name, path]) => `${name} ${path}`);
  return fc.oneof(
    { arbitrary: known, weight: 40 },
    { arbitrary: sed, weight: 1 },
    { arbitrary: other, weight: 1 },
  );
}

const PROGRAMS = [
  "X",
  "curl",
  "sh",
  "rm",
  "touch",
  "tee",
  "./run.sh",
  "cp a.txt",
  "git checkout",
  "git branch",
  "awk 1",
];

function flag({ words = [], letters = "", values = "", counts }: ReadOnlySpec): fc.Arbitrary<string> {
  const value = fc.constantFrom(...VALUES);
  const kinds: fc.Arbitrary<string>[] = [];
  if (words.length > 0)
    kinds.push(
      fc
        .tuple(fc.constantFrom(...words), value)
        .map(([word, text]) => (word.endsWith("=") ? word + text : word)),
    );
  if (letters !== "")
    kinds.push(
      fc
        .string({ unit: fc.constantFrom(...Array.from(letters)), minLength: 1, maxLength: 4 })
        .map((text) => `-${text}`),
    );
  if (values !== "")
    kinds.push(
      fc
        .tuple(fc.constantFrom(...Array.from(values)), value, fc.constantFrom("", " "))
        .map(([letter, text, gap]) => `-${letter}${gap}${text}`),
    );
  if (counts) kinds.push(fc.constant("-3"));
  return kinds.length === 0 ? danger() : fc.oneof(...kinds);
}

/** A dangerous flag of some program. It must not be in any list of allowed flags. */
function danger(): fc.Arbitrary<string> {
  const letter = fc.constantFrom(...Array.from("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0"));
  const short = fc
    .tuple(letter, letter, fc.constantFrom("", "canary", " canary", "X", " X"))
    .map(([a, b, value]) => `-${a}${b}${value}`);
  return fc.oneof(short, fc.constantFrom(...DANGERS));
}

const DANGERS = [
  ..."--output=canary --outp=canary --output -ocanary -o --compress-program=X --comp=X --pre=X --pre -fprint -fprintf".split(
    " ",
  ),
  ..."-fls -delete -exec -execdir -ok --ext-diff --textconv --show-signature --format=%G? --pretty=%+GS -O -OX -C -c".split(
    " ",
  ),
  ..."--exec-path=. --git-dir=src --in-place -i --files0-from=a.txt -files0-from --follow -f -F -L -H -R -X --contents".split(
    " ",
  ),
  ..."--open-files-in-pager=X --paginate -p -P --hostname-bin=X -z --search-zip --from-file=/etc/hostname -m -D -W -S -T".split(
    " ",
  ),
];

function operand({ operands }: ReadOnlySpec): fc.Arbitrary<string> {
  const paths = [
    { arbitrary: fc.constantFrom(...INSIDE), weight: 20 },
    { arbitrary: fc.constantFrom(...OUTSIDE), weight: 1 },
  ];
  const texts = { arbitrary: fc.constantFrom(...TEXTS), weight: 4 };
  return operands === undefined ? fc.constantFrom("-", "canary") : fc.oneof(...paths, texts);
}

const INSIDE = [
  ...[
    "a.txt",
    "b.txt",
    "canary",
    "src",
    ".",
    "src/a.ts",
    "./-o",
    "secrets/key",
    "src/../a.txt",
    "src/",
    "a.txt/",
  ],
  ...["HEAD", "HEAD~1", "main", "HEAD:a.txt", "run.sh", ".git/config", "missing"],
];
const OUTSIDE = [
  "src/link",
  "out/secret",
  "out",
  "out/../outside/secret",
  "../outside/secret",
  "/etc/hostname",
  "..",
];
const PATHS = [...INSIDE, ...OUTSIDE];
const TEXTS = [
  "one",
  "a b",
  "x;X",
  "$(X)",
  "`X`",
  "*",
  "1",
  "",
  "a\nb",
  "%s\\n",
  "%H%x00",
  "127.0.0.1",
  "!",
  "(",
  ")",
  "-",
];
const VALUES = [
  "1",
  "2",
  "one",
  ",",
  "a.txt",
  "x",
  "%h",
  "%p",
  "always",
  "never",
  "short",
  "1,2",
  "recurse",
  "canary",
  "X",
  "%G?",
];

/** Different ways to quote the same word. */
function quoting(): fc.Arbitrary<(word: string) => string> {
  const single = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
  return fc.constantFrom(
    (word: string) => (/^[\w./:=,%@+~-]+$/.test(word) ? word : single(word)),
    (word: string) => (/^-\w .*$/.test(word) ? word : single(word)),
    (word: string) => (/^[\w./:=, -]+$/.test(word) && !word.startsWith("-") ? `"${word}"` : single(word)),
    (word: string) => (/^[\w./:= -]+$/.test(word) ? word : word.replaceAll(/[^\w./:=\n-]/g, "\\$&") || "''"),
  );
}
