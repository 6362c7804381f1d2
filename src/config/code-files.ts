// Finds the code files that a script loads, by the words in its text: imports, sourced files, programs that it starts.
// The search takes too many files rather than too few. It reads only files of the project, and no packages in node_modules.

import { type Dirent, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { readPlainFile } from "./plain-file.ts";

export interface CodeSearch {
  /** The project's folder. */
  folder: string;
  /** Files and folders whose change can change the result. */
  reads: Set<string>;
  entries: Map<string, ReadonlyMap<string, Dirent>>;
  /** True if the search was given up, so that files are missing in its result. */
  isCut: boolean;
}

export const startCodeSearch = (folder: string): CodeSearch => ({
  folder,
  reads: new Set(),
  entries: new Map(),
  isCut: false,
});

/** The most files that one search finds. A person's programs have fewer, but an agent could add files that a script seems to mention. */
export const MOST_FILES = 5_000;
export const MAX_FILE = 500_000;
const MAX_WORDS = 20_000;

/** Variables that hold the project's folder while a hook runs. */
export const OWN_FOLDER = /\$\{?(CADRE_PROJECT_DIR|CLAUDE_PROJECT_DIR|PWD)\}?/g;
export const SCRIPT =
  /\.([cm]?[jt]sx?|py|pyw|sh|bash|zsh|fish|rb|pl|pm|php|lua|jar|awk|sed|exs?|ps1|mk|wasm|so|node)$/i;

export const isBelow = (folder: string, path: string): boolean => path.startsWith(folder + sep);

/** The file itself, the code files that it mentions, and those that these mention. Each file is read once. */
export function codeLoadedBy(start: string, search: CodeSearch): string[] {
  const open = [start];
  const seen = new Set<string>();
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file) || file.includes(`${sep}node_modules${sep}`)) continue;
    if (seen.size >= MOST_FILES) {
      search.isCut = true;
      break;
    }
    seen.add(file);
    open.push(...codeMentionedIn(file, search));
  }
  return [...seen];
}

function codeMentionedIn(file: string, search: CodeSearch): string[] {
  let text: string;
  try {
    text = readPlainFile(file, MAX_FILE).replace(OWN_FOLDER, search.folder);
  } catch {
    return [];
  }
  if (text.includes("\0")) return [];
  const words = new Set(text.split(/[\s"'`;|&<>()=,{}[\]]+/).slice(0, MAX_WORDS));
  return [...words].flatMap((word) => {
    if (word === "" || word.length > 300) return [];
    // `$DIR/lib.sh` and `$(dirname $0)/lib.sh` mostly mean a file beside the script.
    const plain = word.replace(/^(\$\w+|\$\{\w+\})?\/(?=[\w.])/, (slash, variable) =>
      variable ? "" : slash,
    );
    const bases = [dirname(file), search.folder];
    return bases.flatMap((base) =>
      [...new Set([plain, plain.replace(/^\//, "")])].flatMap((each) =>
        spellingsOf(resolve(base, each), each, base).filter(
          (path) => isBelow(search.folder, path) && isCode(path, search),
        ),
      ),
    );
  });
}

const EXTENSIONS = "js mjs cjs ts mts cts tsx jsx py sh bash rb pl php lua".split(" ");

/** The files that an import or a command can mean by a name. */
export function spellingsOf(path: string, word: string, base: string): string[] {
  const dotted = /^\.*[\w]+(\.\w+)*$/.test(word)
    ? [resolve(base, word.replace(/^\.+/, "").replaceAll(".", "/"))]
    : [];
  return [path, ...dotted].flatMap((one) => [
    one,
    ...EXTENSIONS.map((extension) => `${one}.${extension}`),
    ...EXTENSIONS.map((extension) => join(one, `index.${extension}`)),
    ...["__init__.py", "__main__.py"].map((name) => join(one, name)),
    one.replace(/\.([cm]?)js$/, ".$1ts"),
  ]);
}

/** A script, or a file without an extension that can be executed. */
function isCode(path: string, search: CodeSearch): boolean {
  if (!isFile(path, search)) return false;
  if (SCRIPT.test(path)) return true;
  return (
    !basename(path).includes(".") && ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o111) !== 0
  );
}

export function isFile(path: string, search: CodeSearch): boolean {
  const entry = entriesOf(dirname(path), search).get(basename(path));
  return (
    entry !== undefined &&
    !entry.isDirectory() &&
    (entry.isFile() || Boolean(statSync(path, { throwIfNoEntry: false })?.isFile()))
  );
}

export function isFolder(path: string, search: CodeSearch): boolean {
  if (path === search.folder) return true;
  const entry = entriesOf(dirname(path), search).get(basename(path));
  return (
    entry !== undefined &&
    !entry.isFile() &&
    Boolean(statSync(path, { throwIfNoEntry: false })?.isDirectory())
  );
}

/** Entries of a folder. They are read once, because a script has many words that are no files. */
export function entriesOf(
  folder: string,
  { entries, reads, folder: project }: CodeSearch,
): ReadonlyMap<string, Dirent> {
  const known = entries.get(folder);
  if (known) return known;
  let found: ReadonlyMap<string, Dirent> = new Map();
  // Folders outside of the project cannot be changed by an agent, and there are very many.
  if (folder === project || isBelow(project, folder) || folder.includes(`${sep}.git`))
    try {
      found = new Map(readdirSync(folder, { withFileTypes: true }).map((entry) => [entry.name, entry]));
      reads.add(folder);
    } catch {
      // There is no such folder.
    }
  entries.set(folder, found);
  return found;
}
