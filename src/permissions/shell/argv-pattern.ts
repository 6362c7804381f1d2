// Patterns for argv, as in `Bash(git diff *)`. Words match whole words, never a prefix. Quoted text is literal.
// `*` at the end matches any further words. Elsewhere `*` matches exactly one word, and inside a word any text.
// In an ask or deny rule, every `*` also matches several words, as in Claude Code's rules.

import { type Wildcard, wildcard } from "../wildcard.ts";
import type { ShellWord } from "./parse-shell.ts";

export type Match = "yes" | "maybe" | "no";

export interface ArgvPattern {
  words: readonly WordPattern[];
  /** True if any further words can follow. */
  open: boolean;
  /** True if the pattern has no wildcard and therefore names exactly one call. */
  exact: boolean;
  /** Number of literal characters. A more specific pattern has more of them. */
  weight: number;
}

type WordPattern = string | Wildcard;

/** Parses the text of a pattern. Undefined if it is empty or has an unclosed quote. */
export function parseArgvPattern(source: string): ArgvPattern | undefined {
  const tokens = tokenize(source.replace(/:\*$/, " *"));
  if (!tokens || tokens.length === 0) return undefined;
  const open = isStar(tokens.at(-1)!);
  const kept = open ? tokens.slice(0, -1) : tokens;
  const words = kept.map(wordPattern);
  return {
    words,
    open,
    exact: !open && words.every((word) => typeof word === "string"),
    weight:
      kept
        .flat()
        .filter((piece) => piece !== WILD)
        .join("").length + kept.length,
  };
}

/** Returns `maybe` if a word that is known only at run time could make the pattern match. */
export function matchArgv(pattern: ArgvPattern, argv: readonly ShellWord[]): Match {
  for (const [index, word] of pattern.words.entries()) {
    if (index >= argv.length) return "no";
    const actual = argv[index];
    if (actual === undefined) return "maybe";
    if (typeof word === "string" ? word !== actual : !word.test(actual)) return "no";
  }
  if (pattern.open || argv.length === pattern.words.length) return "yes";
  return argv[pattern.words.length] === undefined ? "maybe" : "no";
}

/** Matches commands for ask and deny rules. The letter case of the program's name is ignored, as on some systems. */
export function matchAnyCase(pattern: ArgvPattern): (argv: readonly ShellWord[]) => Match {
  const [program, ...words] = pattern.words;
  const folded = typeof program === "string" ? program.toLowerCase() : program;
  const wide = { ...pattern, words: folded === undefined ? words : [folded, ...words] };
  return (argv) => {
    const [first, ...rest] = argv;
    // A command without words only sets variables and runs no program.
    return argv.length === 0 ? "no" : matchArgv(wide, [first?.toLowerCase(), ...rest]);
  };
}

/** Compares the words as one text, so that a `*` can match several of them. Undefined for a pattern that has no such wildcard. */
export function wordsMatcher({
  words,
  open,
}: ArgvPattern): ((argv: readonly ShellWord[]) => Match) | undefined {
  if (words.every((word) => typeof word === "string")) return undefined;
  const pieces = joinPieces(words);
  const tests = [
    wildcard(pieces, true),
    ...(open ? [wildcard([...pieces.slice(0, -1), `${pieces.at(-1)} `, ""], true)] : []),
  ];
  const wild = words.findIndex((word) => typeof word !== "string");
  const fixed = words.slice(0, wild) as string[];
  return (argv) => {
    const unknown = argv.indexOf(undefined);
    if (unknown < 0) return tests.some((one) => one.test(argv.join(" "))) ? "yes" : "no";
    // A word that is known only at run time can be anything. So only the words before it can show that the pattern does not match.
    const known = argv.slice(0, Math.min(unknown, wild)) as string[];
    return known.every((word, index) => word.toLowerCase() === fixed[index]?.toLowerCase()) ? "maybe" : "no";
  };
}

/** The words as one text: the pieces between all wildcards. */
function joinPieces(words: readonly WordPattern[]): string[] {
  const pieces = [""];
  for (const [index, word] of words.entries()) {
    const [first = "", ...rest] = typeof word === "string" ? [word] : word.pieces;
    pieces.push(`${pieces.pop()}${index > 0 ? " " : ""}${first}`, ...rest);
  }
  return pieces;
}

/** True if code in another language contains the program's name, and so might run the program. */
export function mentionsProgram({ words: [program] }: ArgvPattern, text: string): boolean {
  if (typeof program !== "string") return true;
  return new RegExp(`(?<![\\w.-])${RegExp.escape(program)}(?![\\w-])`, "i").test(text);
}

/** Quotes words so that `parseArgvPattern` returns exactly these words. */
export function quoteArgv(argv: readonly string[]): string {
  return argv
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(" ");
}

const WILD = Symbol("wildcard");
type Token = (string | typeof WILD)[];

const isStar = (token: Token): boolean => token.length === 1 && token[0] === WILD;

function wordPattern(token: Token): WordPattern {
  if (!token.includes(WILD)) return token.join("");
  const pieces = [""];
  for (const piece of token) pieces.push(...(piece === WILD ? [""] : [`${pieces.pop()}${piece}`]));
  return wildcard(pieces);
}

function tokenize(source: string): Token[] | undefined {
  const tokens: Token[] = [];
  const piece = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|(\*)|(\s+)|([^\s'"\\*]+)/gsy;
  let current: Token | undefined;
  while (piece.lastIndex < source.length) {
    const match = piece.exec(source);
    if (!match) return undefined;
    const [, single, double, escaped, star, blank, bare] = match;
    if (blank !== undefined) {
      current = undefined;
      continue;
    }
    if (!current) {
      current = [];
      tokens.push(current);
    }
    current.push(star ? WILD : (single ?? double?.replace(/\\(.)/gs, "$1") ?? escaped ?? bare ?? ""));
  }
  return tokens;
}

/** Finds flags in any position: a rule that denies `rm -rf` also denies `rm -r x -f`. Undefined for a pattern without flags. */
export function looseFlagMatcher(pattern: ArgvPattern): ((argv: readonly ShellWord[]) => Match) | undefined {
  const flags = pattern.words.filter((word) => typeof word === "string" && isFlag(word)) as string[];
  if (flags.length === 0) return undefined;
  const others = {
    ...pattern,
    words: pattern.words.filter((word) => typeof word !== "string" || !isFlag(word)),
  };
  const wanted = flags.flatMap(lettersOf);
  return (argv) => {
    const given = argv
      .filter((word) => word !== undefined && isFlag(word))
      .flatMap((word) => lettersOf(word!));
    const isUnclear = argv.includes(undefined);
    const found = wanted.map((flag): Match => {
      if (given.includes(flag)) return "yes";
      return isUnclear || given.some((one) => meaningOf(one) === meaningOf(flag)) ? "maybe" : "no";
    });
    return weakestMatch([
      ...found,
      matchArgv(
        others,
        argv.filter((word) => word === undefined || !isFlag(word)),
      ),
    ]);
  };
}

const isFlag = (word: string): boolean => /^-./.test(word) && word !== "--";

/** `-rf` means `-r -f`. A longer word after one dash is a single flag, such as `-delete` of find. */
const lettersOf = (flag: string): string[] =>
  /^-[a-zA-Z]{2,5}$/.test(flag) ? flag.slice(1).replace(/./g, " -$&").trim().split(" ") : [flag];

const MEANINGS: Readonly<Record<string, string>> = {
  "--recursive": "-r",
  "--force": "-f",
  "--force-with-lease": "-f",
  "--delete": "-d",
};

const meaningOf = (flag: string): string => (MEANINGS[flag.replace(/=.*$/s, "")] ?? flag).toLowerCase();

const weakestMatch = (matches: readonly Match[]): Match =>
  matches.includes("no") ? "no" : matches.includes("maybe") ? "maybe" : "yes";
