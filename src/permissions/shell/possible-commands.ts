// Finds all commands that a command might run, as far as its words show them.
// Ask and deny rules use the result, so finding too many commands is better than missing one.
// Every suffix of a wrapper's word list is treated as a command, and every word that looks like a script is parsed.
// If no word contains the command that will run (`sh file`, `… | sh`), an unknown command is added.

import { parseShell, type ShellCommand, type ShellRedirect, type ShellWord } from "./parse-shell.ts";
import { isInterpreter, isShell, mayBeAlias, runsOthers } from "./wrappers.ts";

export interface PossibleCommands {
  /** The commands that might run. The given command comes first. Words that are known only at run time are undefined. */
  argvs: readonly (readonly ShellWord[])[];
  /** Those of `argvs` that leave out options, because an option might take the next word as its value. */
  shortened?: ReadonlySet<readonly ShellWord[]>;
  /** Files that scripts in the command's words open by redirection, as in `sh -c 'x > file'`. */
  redirects: readonly ShellRedirect[];
  /** Texts that might be code in another language. Rules can only search them for names. */
  code: readonly string[];
}

const MAX_DEPTH = 3;
const MAX_WORDS = 200;
const MAX_ARGVS = 2_000;
const UNKNOWN: readonly ShellWord[] = [undefined];

export function possibleCommands(command: ShellCommand): PossibleCommands {
  const found: Found = { argvs: [], shortened: new Set(), redirects: [], code: [] };
  follow(command.argv, 0, found);
  return found;
}

/** True if the command might execute its input. */
export function mayRunCode(argv: readonly ShellWord[]): boolean {
  const name = programOf(argv);
  return name === undefined || isInterpreter(name) || runsOthers(name, argv.slice(1));
}

interface Found extends PossibleCommands {
  argvs: (readonly ShellWord[])[];
  shortened: Set<readonly ShellWord[]>;
  redirects: ShellRedirect[];
  code: string[];
}

function follow(argv: readonly ShellWord[], depth: number, found: Found): void {
  found.argvs.push(...spellings(argv, found));
  const name = programOf(argv);
  if (name === undefined) return;
  const words = argv.slice(1);
  if (isInterpreter(name)) found.code.push(...words.filter(isScript));
  if (name === "git" && mayBeAlias(argv)) found.argvs.push(UNKNOWN);
  if (name === "git")
    found.code.push(...words.filter((word) => /^!|=/.test(word ?? "") && isScript(word)).map(String));
  if (!runsOthers(name, words)) return;
  if (depth >= MAX_DEPTH || argv.length > MAX_WORDS || found.argvs.length > MAX_ARGVS) {
    found.argvs.push(UNKNOWN);
    return;
  }
  if (JOINING.has(name) && words.length > 1)
    followScript(words.map((word) => word ?? "$_").join(" "), { depth, runsScripts: true }, found);
  followTails(argv, depth, found);
}

/** Programs that join all their words into one script. */
const JOINING = new Set(["eval", "ssh", "watch", "su"]);

function followTails(argv: readonly ShellWord[], depth: number, found: Found): void {
  const isFed = FEEDING.has(programOf(argv)!);
  const firsts = [1, ...verbsAt(argv, (flag) => !/^-[^-].|=/.test(flag))];
  const runsScripts = argv.some((word) => word !== undefined && SCRIPTING.test(word));
  let runsUnseen = runsFile(argv);
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at];
    if (word !== undefined) followWord(word, { depth, runsScripts }, found);
    const isReplaced = isFed && word?.includes("{}");
    if (word?.startsWith("-") || (isReplaced && !firsts.includes(at))) continue;
    const tail = isFed ? [...argv.slice(at).map(unlessReplaced), undefined] : argv.slice(at);
    found.argvs.push(...spellings(tail, found));
    const name = programOf(tail);
    if (name === undefined) continue;
    if (isInterpreter(name)) found.code.push(...tail.filter(isScript));
    runsUnseen ||= name === "git" && mayBeAlias(tail);
    runsUnseen ||= isFed ? runsOthers(name, tail) : runsFile(tail, argv[at - 1]);
  }
  if (runsUnseen) found.argvs.push(UNKNOWN);
}

/** If a command contains one of these words, its other words might be scripts. Otherwise a word such as `*.ts` is just a file pattern. */
const SCRIPTING =
  /^(.*\/)?(sh|bash|dash|ash|zsh|ksh|mksh|fish|rbash|csh|tcsh|xonsh|nu|pwsh|eval|trap|ssh|su|watch|script|parallel|expect|screen|tmux|concurrently|entr|nodemon)$|^-[cS]|^--(split-string|call|command)/;

/** Programs that run a command and append words from their input to it. */
const FEEDING = new Set(["xargs", "parallel"]);

const unlessReplaced = (word: ShellWord): ShellWord => (word?.includes("{}") ? undefined : word);

/** Parses the word as a script, and also the value in the word: `-Sx y`, `--split-string=x y`, `GIT_PAGER=x y`. */
function followWord(word: string, how: How, found: Found): void {
  if (isScript(word)) followScript(word, how, found);
  if (/^-[^-]./.test(word)) followScript(word.slice(2), how, found);
  const sign = word.indexOf("=");
  if (sign > 0) followScript(word.slice(sign + 1), how, found);
}

interface How {
  depth: number;
  runsScripts: boolean;
}

function followScript(script: string, { depth, runsScripts }: How, found: Found): void {
  const { commands, redirects, texts } = parseShell(script);
  if (runsScripts) found.redirects.push(...redirects);
  found.code.push(...texts.map(({ text }) => text));
  for (const { argv } of commands) if (runsScripts || argv[0] !== undefined) follow(argv, depth + 1, found);
}

/** True if the command is a shell whose script is in none of its words. */
function runsFile(argv: readonly ShellWord[], before?: ShellWord): boolean {
  const name = programOf(argv);
  // `.` runs a script only at the start of a command. In any other position it is a folder.
  if (name === "source" || name === ".") return before === undefined || /^(command|builtin)$/.test(before);
  if (name === undefined || !isShell(name)) return false;
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at];
    if (word === undefined || !/^[-+]./.test(word)) return true;
    if (/^-[a-zA-Z]*c/.test(word) || /^--?command\b/i.test(word)) return false;
    if (/^[-+][a-zA-Z]*[oO]$/.test(word)) at++;
  }
  return true;
}

/** Equivalent forms of the command: the program without its folder, and the subcommand without the options before it. */
function spellings(argv: readonly ShellWord[], { shortened }: Found): (readonly ShellWord[])[] {
  const [first, ...rest] = argv;
  const name = programOf(argv);
  const verbs = verbsAt(argv).map((at) => [name, ...argv.slice(at)]);
  for (const verb of verbs) shortened.add(verb);
  // `git-push`, in the folder of git's own programs, is `git push`.
  if (name?.startsWith("git-")) verbs.push([name.slice(0, 3), name.slice(4), ...rest]);
  return name === first ? [argv, ...verbs] : [argv, [name, ...rest], ...verbs];
}

/** Positions where the subcommand might be. `git -C x -c a=b push` might be `git push`, because each option might take a value. */
function verbsAt(argv: readonly ShellWord[], mayTakeNext: (flag: string) => boolean = () => true): number[] {
  let reached = new Set([1]);
  const found: number[] = [];
  while (reached.size > 0 && found.length < 50) {
    const next = new Set<number>();
    for (const at of reached) {
      const flag = argv[at];
      if (!flag?.startsWith("-")) continue;
      next.add(at + 1);
      if (mayTakeNext(flag)) next.add(at + 2);
    }
    found.push(...[...next].filter((at) => at <= argv.length && !found.includes(at)));
    reached = next;
  }
  return found;
}

const isScript = (word: ShellWord): word is string => word !== undefined && /[^\w@%+:,./=-]|=.*=/.test(word);

function programOf([word]: readonly ShellWord[]): ShellWord {
  return word?.slice(word.lastIndexOf("/") + 1).replace(/\.so\.\d+$/, ".so");
}
