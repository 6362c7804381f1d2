// The effect class of a shell command after a crash (P4). A test, build or linter that a crash cut off is run again.
// Any other command that might change something waits for a person.
//  - A command has a class only if every word is literal, and each simple command in it has a class or only reads.
//    A command that opens files by redirection, sets variables or contains any other syntax has no class.
//  - A class never allows a call. Permission rules do not see it.

import type { Effect } from "../../journal/definition.ts";
import type { ShellJudge } from "../permission.ts";
import { matchArgv, parseArgvPattern } from "./argv-pattern.ts";
import { isInside, isReadOnlyCommand, judgeShell } from "./judge-shell.ts";
import { parseShell, type ShellCommand } from "./parse-shell.ts";

/** Effect classes of commands in `cadre.yaml`. The keys are rules such as `Bash(npm run e2e)`. */
export type CommandEffects = Readonly<Record<string, Effect>>;

export type RepeatableEffect = Exclude<Effect, "unsafe">;

/** Creates a judge for shell commands, with the effect classes that the project has configured. */
export function createShellJudge(effects: CommandEffects): ShellJudge {
  const rules = Object.entries(effects).flatMap(([rule, effect]) => {
    const pattern = parseArgvPattern(commandPattern(rule) ?? "");
    return pattern ? [{ pattern, effect }] : [];
  });
  /** The class that the most specific rule of the project gives. If two rules are equally specific, the more careful one wins. */
  const configured = (argv: readonly string[]): Effect | undefined =>
    rules
      .filter(({ pattern }) => matchArgv(pattern, argv) === "yes")
      .sort((a, b) => b.pattern.weight - a.pattern.weight || CAUTION[b.effect] - CAUTION[a.effect])[0]
      ?.effect;
  return (command) => {
    const judged = judgeShell(command);
    const afterCrash = judged.readOnly ? undefined : repeatableEffect(command, configured);
    return afterCrash === undefined ? judged : { ...judged, afterCrash };
  };
}

const CAUTION: Record<Effect, number> = { read: 0, idempotent: 1, unsafe: 2 };

/** The pattern of a rule such as `Bash(npm test)`. Undefined if the rule has another form. */
export const commandPattern = (rule: string): string | undefined =>
  /^Bash\((.*\S.*)\)$/s.exec(rule.trim())?.[1]?.trim();

type FindEffect = (argv: readonly string[]) => Effect | undefined;

function repeatableEffect(source: string, configured: FindEffect): RepeatableEffect | undefined {
  const { grade, commands, redirects, texts } = parseShell(source);
  if (grade !== "exact" || redirects.length > 0 || texts.length > 0) return undefined;
  let whole: RepeatableEffect = "read";
  for (const command of commands) {
    const effect = effectOf(command, configured);
    if (effect === undefined || effect === "unsafe") return undefined;
    if (effect === "idempotent") whole = effect;
  }
  return whole;
}

function effectOf({ argv, assigns, fed }: ShellCommand, configured: FindEffect): Effect | undefined {
  if (assigns || argv.includes(undefined)) return undefined;
  const words = argv as readonly string[];
  const own = configured(words);
  if (own) return own;
  if (isReadOnlyCommand(words).readOnly) return "read";
  if (words[0] === "cd") return words.length === 2 && isInside(words[1]!, undefined) ? "read" : undefined;
  // A runner that reads the output of another command might execute that output.
  return !fed && isRunner(words) ? "idempotent" : undefined;
}

/** Whether the command runs tests, a compiler or a linter, and has no word that could make it run anything else. */
function isRunner(argv: readonly string[]): boolean {
  const [program = "", ...words] = withoutLauncher(argv);
  const runner = Object.hasOwn(RUNNERS, program) ? RUNNERS[program] : undefined;
  if (!runner) return false;
  const { verbs, flags } = runner;
  const rest = verbs ? afterVerb(words, verbs) : words;
  return rest?.every((word) => (word.startsWith("-") ? isFlagOf(word, flags) : isOperand(word))) ?? false;
}

/** Removes a program that only starts the runner: `npx`, `pnpm exec`, `timeout 60`. */
function withoutLauncher(argv: readonly string[]): readonly string[] {
  const launcher = LAUNCHERS.find((words) =>
    words.every((word, index) =>
      word instanceof RegExp ? word.test(argv[index] ?? "") : word === argv[index],
    ),
  );
  return launcher ? withoutLauncher(argv.slice(launcher.length)) : argv;
}

const LAUNCHERS: readonly (readonly (string | RegExp)[])[] = [
  ["npx", "--no-install"],
  ["npx"],
  ["pnpm", "exec"],
  ["yarn", "exec"],
  ["bunx"],
  ["uv", "run"],
  ["poetry", "run"],
  ["python", "-m"],
  ["python3", "-m"],
  ["time"],
  ["timeout", /^\d+[smh]?$/],
];

function afterVerb(words: readonly string[], verbs: readonly string[]): readonly string[] | undefined {
  const found = verbs
    .map((verb) => verb.split(" "))
    .find((verb) => verb.every((word, at) => word === words[at]));
  return found && words.slice(found.length);
}

const isFlagOf = (word: string, flags: ReadonlySet<string>): boolean =>
  word === "--" || flags.has(word) || (word.includes("=") && flags.has(word.slice(0, word.indexOf("=") + 1)));

/** Whether the word can be the name of a test, a package or a file in the workspace. */
const isOperand = (word: string): boolean => isInside(word, undefined) && /^[\w@./:, [\]*-]+$/.test(word);

interface Runner {
  /** Subcommands that test, build or check. Absent if the program does that without a subcommand. */
  verbs?: readonly string[];
  /** Known flags. A flag with `=` takes any value. Flags that name a program, a plugin or a file outside the workspace are not listed. */
  flags: ReadonlySet<string>;
}

const set = (text: string): ReadonlySet<string> => new Set(text.split(" ").filter((word) => word !== ""));

/** Names of package scripts that test, build or check. */
const SCRIPTS = "test build lint typecheck type-check check format:check test:unit".split(" ");
const PACKAGE_FLAGS = set("-s --silent --if-present");
const JS_TEST_FLAGS = set(
  "--run --coverage --silent --verbose --bail --ci --no-coverage --passWithNoTests --runInBand -i --no-cache --no-color --color " +
    "--maxWorkers= --testTimeout= --testNamePattern= --reporter= -t --reporter --maxWorkers --bail= --project= --related --watch=false",
);
const packageRunner = (...own: string[]): Runner => ({
  verbs: [...own, ...SCRIPTS.map((script) => `run ${script}`)],
  flags: PACKAGE_FLAGS.union(JS_TEST_FLAGS),
});
const CARGO_FLAGS = set(
  "--release -r --all --workspace --all-targets --all-features --no-default-features --lib --bins --tests --examples --doc --locked " +
    "--offline --frozen --no-run --no-fail-fast -q --quiet -v --verbose -p --package --package= --features --features= --test --bin --nocapture -D warnings",
);

const RUNNERS: Readonly<Record<string, Runner>> = {
  npm: packageRunner("test", "t"),
  pnpm: packageRunner("test", "t", ...SCRIPTS),
  yarn: packageRunner(...SCRIPTS),
  bun: packageRunner("test"),
  vitest: { verbs: ["run"], flags: JS_TEST_FLAGS },
  jest: { flags: JS_TEST_FLAGS },
  pytest: {
    flags: set(
      "-q -v -vv -x -s -l -k -m --quiet --verbose --exitfirst --lf --last-failed --ff --sw --no-header --tb= --maxfail= --durations= -n -rA -ra -rf",
    ),
  },
  go: {
    verbs: ["test", "build", "vet"],
    flags: set(
      "-v -race -short -cover -failfast -count=1 -count= -run -run= -timeout -timeout= -p= -parallel= -tags= -bench= -benchmem",
    ),
  },
  cargo: { verbs: ["test", "build", "check", "clippy", "fmt --check"], flags: CARGO_FLAGS },
  tsc: {
    flags: set(
      "--noEmit -p --project -b --build --pretty --skipLibCheck --strict --incremental --listFiles --noErrorTruncation --force --verbose",
    ),
  },
  eslint: {
    flags: set(
      "--fix --quiet --cache --ext --ext= --max-warnings --max-warnings= --no-cache --color --no-color --format= -f --no-warn-ignored",
    ),
  },
  biome: {
    verbs: ["check", "lint", "format", "ci"],
    flags: set(
      "--write --fix --unsafe --diagnostic-level= --max-diagnostics= --colors= --changed --staged --error-on-warnings",
    ),
  },
  prettier: { flags: set("--check -c --write -w --list-different -l") },
  ruff: { verbs: ["check", "format"], flags: set("--fix --check --diff --quiet -q --no-cache --statistics") },
  mypy: { flags: set("--strict --pretty --no-color-output --ignore-missing-imports") },
  make: { verbs: ["test", "check", "lint"], flags: set("-s --silent -k --keep-going") },
};
