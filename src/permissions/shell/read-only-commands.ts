// Commands that are known to change nothing, with their harmless flags.
// This is an allow-list: a command with an unlisted or abbreviated flag (`--outp=F`) needs approval.
// No listed flag takes a path, runs a program, follows links in a folder, writes a file, waits forever or uses the network.

export interface ReadOnlySpec {
  /** Flags of one letter, which can be combined, as in `-la`. A letter in `values` takes a value, which is the text after it. */
  letters?: string;
  values?: string;
  /** Long flags such as `--stat`. An entry that ends with `=`, such as `--format=`, takes a value. */
  words?: readonly string[];
  /** The meaning of arguments that are not flags: workspace paths, any text, or a text followed by paths. If absent, such arguments are refused. */
  operands?: "paths" | "text" | "pattern-then-paths";
  /** True if the command accepts a count as a flag, such as `-20`. */
  counts?: boolean;
  /** The command is refused if any of its arguments matches this pattern. */
  never?: RegExp;
  /** True if only files are accepted. Cadre refuses folders, because this command would follow the links inside them. */
  filesOnly?: boolean;
}

const list = (text: string): string[] => text.split(" ");

const GIT_DIFF_WORDS = list(
  "--stat --cached --staged --name-only --name-status --numstat --shortstat --summary --check --patch --no-patch " +
    "--word-diff --ignore-all-space --ignore-space-change --no-color --no-ext-diff --no-textconv --no-renames --minimal " +
    "--color= --color-words --unified= --diff-filter= --diff-algorithm= --relative --merge-base --stat= --",
);
const GIT_LOG_WORDS = list(
  "--oneline --graph --all --decorate --no-decorate --follow --no-merges --merges --reverse --first-parent " +
    "--abbrev-commit --branches --tags --remotes --since= --until= --after= --before= --author= --grep= --date= " +
    "--max-count= --skip= --pretty --pretty= --format= --decorate= --topo-order --date-order --shortstat",
);

const HEAD_OR_TAIL: ReadOnlySpec = {
  letters: "qv",
  values: "nc",
  words: list("--lines= --bytes= --"),
  operands: "paths",
  counts: true,
};

/** Log formats that check a commit's signature. To do so, git starts gpg, which writes to its home folder and might contact a server. */
const CHECKS_SIGNATURE = /%[-+ ]?G/;

/** The read-only commands. A key is a program's name, or `git` with a subcommand. */
export const READ_ONLY_COMMANDS: ReadonlyMap<string, ReadOnlySpec> = new Map(
  Object.entries({
    ls: {
      letters: "1aAbBcdFgGhiklmnNopqQrRsStTuUvxXZ",
      words: list("--all --almost-all --human-readable --recursive --color= --size --full-time --"),
      operands: "paths",
    },
    cat: { letters: "AbeEnstTuv", words: list("--number --show-all --"), operands: "paths" },
    head: HEAD_OR_TAIL,
    tail: HEAD_OR_TAIL,
    wc: { letters: "clLmw", words: list("--lines --words --bytes --chars --"), operands: "paths" },
    nl: { letters: "", values: "bw", operands: "paths" },
    pwd: { letters: "LP" },
    echo: { letters: "neE", operands: "text" },
    true: {},
    false: {},
    whoami: {},
    id: { letters: "gGnru" },
    uname: { letters: "amnoprsv" },
    basename: { letters: "az", values: "s", operands: "text" },
    dirname: { letters: "z", operands: "text" },
    realpath: { letters: "emsz", operands: "paths" },
    readlink: { letters: "efmn", operands: "paths" },
    file: { letters: "bhLN", words: list("--brief --mime-type --mime"), operands: "paths" },
    stat: { letters: "Lft", values: "c", words: list("--format="), operands: "paths" },
    du: {
      letters: "abchHkmsSx",
      values: "d",
      words: list("--max-depth= --human-readable --summarize"),
      operands: "paths",
    },
    cut: {
      letters: "sz",
      values: "bcdf",
      words: list("--complement --delimiter= --fields="),
      operands: "paths",
    },
    tr: { letters: "cCdst", operands: "text" },
    sort: {
      letters: "bdfghMnRrsuVz",
      values: "kt",
      words: list("--reverse --numeric-sort --unique"),
      operands: "paths",
    },
    uniq: { letters: "cdDiuz" },
    diff: {
      letters: "abBdeEiNnpqstTuwyZ",
      values: "UC",
      words: list("--unified --unified= --brief --color="),
      operands: "paths",
      filesOnly: true,
    },
    cmp: { letters: "bls", operands: "paths" },
    which: { letters: "a", operands: "text" },
    grep: {
      letters: "abcEFGhHiIlLnoPqrsTvwxyzZ",
      values: "ABCmed",
      words: list(
        "--color= --include= --exclude= --exclude-dir= --line-number --recursive --ignore-case --count --only-matching --extended-regexp --fixed-strings --files-with-matches --context= --max-count= --",
      ),
      operands: "pattern-then-paths",
    },
    rg: {
      letters: "acFHhiIlnNopPqsSuUvwx0",
      values: "ABCemgtTMd",
      words: list(
        "--files --hidden --no-ignore --glob= --type= --line-number --no-line-number --ignore-case --smart-case --count --count-matches --files-with-matches --fixed-strings --multiline --max-count= --context= --max-depth= --color= --no-heading --heading --json --sort= --stats --only-matching --word-regexp --",
      ),
      operands: "pattern-then-paths",
    },
    find: {
      words: list(
        "-name -iname -path -ipath -wholename -regex -iregex -type -maxdepth -mindepth -size -empty -newer -mtime -mmin " +
          "-atime -ctime -perm -user -group -links -not -a -o -and -or -print -print0 -printf -ls -prune -quit -true -false -xdev -depth",
      ),
      operands: "paths",
      // find takes counts such as `-mtime -7`.
      counts: true,
    },
    "git status": {
      letters: "sbzv",
      values: "u",
      words: list(
        "--short --branch --porcelain --porcelain= --long --ignored --untracked-files= --untracked-files --",
      ),
      operands: "paths",
    },
    "git diff": { letters: "bpRswz", values: "UMCSG", words: GIT_DIFF_WORDS, operands: "paths" },
    "git log": {
      letters: "bimpsw",
      values: "nUSGL",
      words: [...GIT_LOG_WORDS, ...GIT_DIFF_WORDS],
      operands: "paths",
      counts: true,
      never: CHECKS_SIGNATURE,
    },
    "git show": {
      letters: "bpsw",
      values: "U",
      words: [...GIT_LOG_WORDS, ...GIT_DIFF_WORDS],
      operands: "paths",
      never: CHECKS_SIGNATURE,
    },
    "git blame": { letters: "bcefnpstw", values: "L", operands: "paths" },
    "git ls-files": {
      letters: "cdmosz",
      words: list("--cached --deleted --modified --others --exclude-standard --stage --"),
      operands: "paths",
    },
    "git rev-parse": {
      words: list("--show-toplevel --abbrev-ref --short --verify --is-inside-work-tree --git-dir"),
      operands: "paths",
    },
    "git branch": { letters: "arv", words: list("--show-current --list --all --remotes --no-color") },
    "git remote": { letters: "v" },
  } satisfies Record<string, ReadOnlySpec>),
);
