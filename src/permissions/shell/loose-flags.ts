// A rule that forbids `rm -rf` also means `rm -fr`, `rm -r x -f` and `rm --recursive --force`. So ask and deny rules find flags in any
// position, alone or combined. A long or differently cased form that may mean the same is a "maybe".

import { type ArgvPattern, type Match, matchArgv } from "./argv-pattern.ts";
import type { ShellWord } from "./parse-shell.ts";

/** Undefined if the pattern has no flags. */
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
    return least([
      ...found,
      matchArgv(
        others,
        argv.filter((word) => word === undefined || !isFlag(word)),
      ),
    ]);
  };
}

const isFlag = (word: string): boolean => /^-./.test(word) && word !== "--";

/** `-rf` is `-r -f`. A longer word after one dash is a single flag, such as `-delete` of find. */
const lettersOf = (flag: string): string[] =>
  /^-[a-zA-Z]{2,5}$/.test(flag) ? flag.slice(1).replace(/./g, " -$&").trim().split(" ") : [flag];

const MEANINGS: Readonly<Record<string, string>> = {
  "--recursive": "-r",
  "--force": "-f",
  "--force-with-lease": "-f",
  "--delete": "-d",
};

const meaningOf = (flag: string): string => (MEANINGS[flag.replace(/=.*$/s, "")] ?? flag).toLowerCase();

const least = (matches: readonly Match[]): Match =>
  matches.includes("no") ? "no" : matches.includes("maybe") ? "maybe" : "yes";
