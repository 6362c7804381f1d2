// Finds out which files a command shows although none of its words names them: `git log -p`, `grep -r key`, `rg key`.
// Rules such as `Read(.env)` use this. A verb of git that is not known to show no content is treated as showing it.

import type { ShellWord } from "./parse-shell.ts";
import { READ_ONLY_COMMANDS } from "./read-only-commands.ts";

/**
 * The files that a command shows.
 *  - none       no content of a file, or only of files that its words name
 *  - below      everything in the files and folders that its words name
 *  - workspace  everything in the workspace, or in its history
 */
export type ShownContent = { scope: "none" | "below" | "workspace"; skipsHidden?: boolean };

const BELOW: ShownContent = { scope: "below" };
const NONE: ShownContent = { scope: "none" };
const WORKSPACE: ShownContent = { scope: "workspace" };

const list = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Programs that search or pack whole folders. Without a folder, they use the current one. */
const SEARCHES = list("grep egrep fgrep zgrep rgrep rg ugrep ag ack");
const WALKS = list("find fd fdfind tar zip 7z rsync cpio tree");

export function shownContent(argv: readonly ShellWord[]): ShownContent {
  const [program = "", ...words] = argv;
  const name = program.slice(program.lastIndexOf("/") + 1);
  if (name === "git") return shownByGit(words);
  if (SEARCHES.has(name)) return shownBySearch(name, words);
  return LISTS_NAMES.has(name) ? NONE : walkedContent(argv);
}

/** Programs that walk through folders, but show no content. */
const LISTS_NAMES = list("tree rm rmdir chmod chown ls du");

/** True if `shownContent` reads the options of this program itself, and so needs no shortened form of the command. */
export const knowsOptions = ([program = ""]: readonly ShellWord[]): boolean =>
  program === "git" || SEARCHES.has(program);

/** The files that a command uses because it walks through folders: `rm -r x`, `tar c .`. */
export function walkedContent([program = "", ...words]: readonly ShellWord[]): ShownContent {
  const name = program.slice(program.lastIndexOf("/") + 1);
  if (WALKS.has(name) || words.some((word) => RECURSIVE.test(word ?? "")))
    return operandsOf(name, words).length > 0 ? BELOW : WORKSPACE;
  return NONE;
}

const RECURSIVE = /^(-[a-zA-Z0-9]*[rR][a-zA-Z]*|--recursive|--dereference-recursive)$/;

/** Programs that search folders without being told to. */
const ALWAYS_RECURSIVE = list("rg rgrep ugrep ag ack");

function shownBySearch(name: string, words: readonly ShellWord[]): ShownContent {
  const isDeep =
    ALWAYS_RECURSIVE.has(name) ||
    words.some((word) => RECURSIVE.test(word ?? "") || /^(--directories=|-d)/.test(word ?? ""));
  if (!isDeep) return NONE;
  const operands = operandsOf(name, words);
  const hasPattern = givesPattern(words);
  const scope = operands.length > (hasPattern ? 0 : 1) ? "below" : "workspace";
  const skipsHidden = name === "rg" && !words.some((word) => word === undefined || SHOWS_HIDDEN.test(word));
  return { scope, skipsHidden };
}

const SHOWS_HIDDEN =
  /^(-[a-zA-Z0-9]*[u.]|--hidden|--no-ignore|--unrestricted|--pre|-g|--glob|--iglob|-t|--type)/;

/** The words that are neither flags nor values of flags. A flag that is not known might take the next word as its value. */
function operandsOf(name: string, words: readonly ShellWord[]): ShellWord[] {
  const spec = READ_ONLY_COMMANDS.get(name);
  const operands: ShellWord[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === "--") return [...operands, ...words.slice(at + 1)];
    if (word === undefined || !/^-./.test(word)) operands.push(word);
    else if (takesNext(word)) at++;
  }
  return operands;

  function takesNext(flag: string): boolean {
    if (flag.includes("=") || spec?.words?.includes(flag)) return false;
    return (
      flag.startsWith("--") ||
      !flag
        .slice(1)
        .split("")
        .every((letter) => spec?.letters?.includes(letter))
    );
  }
}

/** Verbs of git that show no content of files, as long as no flag asks for a patch. */
const SHOWS_NAMES =
  list(`add am apply bisect branch checkout cherry-pick clean clone commit config describe fetch fsck gc init
  ls-files ls-remote ls-tree maintenance merge merge-base mv notes prune pull push rebase reflog remote reset restore rev-list
  rev-parse revert rm shortlog show-ref sparse-checkout stash status submodule switch symbolic-ref tag update-index worktree log`);

/** Flags that make these verbs show content anyway. */
const PATCHING =
  /^(-[a-zA-Z0-9]*[pucULSGvm]|--(patch|unified|word-diff|color-words|cc|binary|full-diff|diff-merges|remerge-diff|check|textconv|ext-diff))/;
const VERBOSE = /^(-[a-zA-Z0-9]*[pvi]|--(patch|interactive|verbose))/;
const OWN_PATCHING: ReadonlyMap<string, RegExp> = new Map([
  ["log", PATCHING],
  ["reflog", PATCHING],
  ["stash", /^(show|-[a-zA-Z0-9]*[pu]|--patch)/],
  ...["status", "commit", "add", "checkout", "reset", "restore"].map((verb) => [verb, VERBOSE] as const),
]);
const SHOWS_PATCH = /^--show-current-patch/;

/** Flags that make `git diff` and `git show` list names or numbers instead of content. */
const SUMMARY =
  /^(--(stat|numstat|shortstat|dirstat|summary|name-only|name-status|no-patch|raw|quiet)(=|$)|-s$)/;
/** Flags that search the content of changes. Even a list of names then tells whether the text is in a file. */
const PICKAXE = /^(-[a-zA-Z0-9]*[SGIL]|--(pick|find-o|ignore-m))/;
const CAN_SEARCH = list(
  "diff show diff-tree diff-index diff-files whatchanged log reflog stash shortlog bisect rev-list range-diff submodule",
);
const SUMMARIZED = list("diff show diff-tree diff-index diff-files whatchanged");
const ALSO_PATCH = /^(-[a-zA-Z0-9]*[puUW]|--patch|--unified|--word-diff|--color-words|--check|--binary)/;

function shownByGit(all: readonly ShellWord[]): ShownContent {
  const [verb, ...words] = withoutOptions(all);
  if (verb === undefined)
    return all.length === 0 || /^--?(version|help|h|v)$/.test(all[0] ?? "") ? NONE : WORKSPACE;
  const end = words.indexOf("--");
  const flags = end < 0 ? words : words.slice(0, end);
  const paths = end < 0 ? [] : words.slice(end + 1);
  const has = (pattern: RegExp): boolean => flags.some((word) => word === undefined || pattern.test(word));
  const searches = CAN_SEARCH.has(verb) && has(PICKAXE);
  if (
    SUMMARIZED.has(verb) &&
    flags.some((word) => SUMMARY.test(word ?? "")) &&
    !has(ALSO_PATCH) &&
    !searches &&
    !namesBlob(flags)
  )
    return NONE;
  if (!searches && SHOWS_NAMES.has(verb) && !has(OWN_PATCHING.get(verb) ?? SHOWS_PATCH)) return NONE;
  if (namesOnlyPaths(verb, flags)) return BELOW;
  // A pathspec with a wildcard or with magic, such as `:/`, can mean any file.
  const isLimited = paths.length > 0 && paths.every((path) => path !== undefined && !/^:|[*?[]/.test(path));
  return isLimited ? BELOW : WORKSPACE;
}

/** True if the command shows only the files that its words name: `git blame a.ts`, `git show HEAD:a.ts`. */
function namesOnlyPaths(verb: string, words: readonly ShellWord[]): boolean {
  if (verb === "blame" || verb === "annotate") return true;
  const plain = words.filter((word) => word === undefined || !word.startsWith("-"));
  return (
    (verb === "show" || verb === "cat-file") &&
    plain.length > 0 &&
    plain.every((word) => /^[^:]+:./.test(word ?? ""))
  );
}

/** True if a word names an object by its hash. It might be the content of a file. */
const namesBlob = (words: readonly ShellWord[]): boolean =>
  words.some((word) => word === undefined || /^[0-9a-f]{4,64}$/i.test(word));

/** The words from the subcommand on. `-C folder` and `-c name=value` take the next word. */
function withoutOptions(words: readonly ShellWord[]): readonly ShellWord[] {
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) return [];
    if (!word.startsWith("-")) return words.slice(at);
    if (
      /^(-C|-c|--git-dir|--work-tree|--namespace|--super-prefix|--config-env|--exec-path|--attr-source)$/.test(
        word,
      )
    )
      at++;
  }
  return [];
}

/**
 * True if the command shows parts of lines, or puts other characters between them. The mask recognises only whole secrets (A71).
 * `sort` and `uniq` show whole lines, and so do `head` and `tail` unless they count bytes.
 */
export function showsPieces([program = "", ...words]: readonly ShellWord[]): boolean {
  if (rewritesText(program)) return true;
  const flags = PIECES.get(program);
  return flags !== undefined && words.some((word) => word === undefined || flags.test(word));
}

const MATCHES_ONLY = /^(-[a-zA-Z0-9]*o|--only-matching|--colou?r(=(?!never)|$)|--json$)/;
const BYTES = /^(-[a-zA-Z]*c|--bytes)/;
const PIECES: ReadonlyMap<ShellWord, RegExp> = new Map(
  Object.entries({
    grep: MATCHES_ONLY,
    // `-p` is `--color always`.
    rg: /^(-[a-zA-Z0-9]*[op]|--only-matching|--colou?r(=(?!never)|$)|--json$)/,
    head: BYTES,
    tail: BYTES,
    cut: /^/,
    tr: /^/,
    cmp: /^-[a-zA-Z]*[bl]/,
    diff: /^-[a-zA-Z]*y/,
    git: /^(--color-words|--word-diff|--color(=(?!never)|$))/,
  }),
);

/**
 * Programs that show or send a text in another form, so that the mask does not find a secret in it. They are not among the read-only
 * commands, but a rule with a wildcard or a preset can allow them. Programs that use an `.env` file, such as `node` or `docker`, are not listed.
 */
const REWRITES = list(
  "dd sed gsed awk gawk mawk nawk perl base64 base32 basenc xxd od hexdump hd rev fold fmt pr paste split csplit expand column strings jq yq " +
    "gzip bzip2 xz zstd zip tar openssl gpg curl wget nc ncat socat scp rsync",
);

/** True if the program can show or send a text in a form in which the mask does not recognise a secret. */
export const rewritesText = (program: ShellWord): boolean =>
  program !== undefined && REWRITES.has(program.slice(program.lastIndexOf("/") + 1));

/** Programs that show no content of the files that their words name. */
const NAMES_ONLY = list(
  "ls stat du cd pushd pwd realpath readlink file find mkdir test [ echo true false basename dirname which type tr uname id whoami",
);

/** The words of a command that might name a file that it shows. The pattern of a search is not among them. */
export function filesShown(argv: readonly ShellWord[]): readonly ShellWord[] {
  const [program = "", ...words] = argv;
  if (NAMES_ONLY.has(program)) return [];
  if (program === "git") return shownByGit(words).scope === "none" ? [] : words;
  // `curl -d @.env`, `dd if=.env`
  if (rewritesText(program))
    return words.flatMap((word) =>
      word === undefined ? [word] : [...new Set([word, ...word.split(/[@=<]+/)])],
    );
  if (!SEARCHES.has(program)) return words;
  return operandsOf(program, words).slice(givesPattern(words) ? 0 : 1);
}

const givesPattern = (words: readonly ShellWord[]): boolean =>
  words.some((word) => /^(-[a-zA-Z0-9]*[ef]|--regexp|--file|--files\b)/.test(word ?? ""));
