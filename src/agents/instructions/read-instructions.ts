// Reads the files in which people write instructions for all agents: AGENTS.md and CLAUDE.md, and the files that these import.
//  - A file is read once, even if several names, links or imports lead to it.
//  - A file of the project cannot import or link to files outside the project. In a trusted folder, it can import the user's own files.
//  - A file that cannot be read is reported, and the others are still read.

import { constants, statSync } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { importsIn } from "./imports.ts";

export interface InstructionText {
  /** Path relative to the project, or `~/…` for a file of the user. */
  file: string;
  text: string;
}

export interface FoundInstructions {
  files: InstructionText[];
  /** The files that were left out or cut. */
  problems: InstructionProblem[];
}

export interface InstructionProblem {
  file: string;
  /** Completes a sentence that begins with the file's name. */
  message: string;
}

export const problemSentence = ({ file, message }: InstructionProblem): string => `${file} ${message}.`;

export interface InstructionPlaces {
  /** The project's folder, or the copy of it in which a run works. */
  folder: string;
  home: string;
  /** The folder with the user's own settings of Cadre. */
  userFolder: string;
  trusted: boolean;
  /** Whether the rules allow reading this path of the project. */
  mayRead(path: string): boolean;
}

const USUAL_NAMES = ["AGENTS.md", "CLAUDE.md", join(".claude", "CLAUDE.md"), "CLAUDE.local.md"];
/** Files with these names are also read in the folders below. There they apply to the files of their folder. */
const NESTED_NAMES = ["AGENTS.md", "CLAUDE.md"];

const MAX_FILE_BYTES = 32_000;
const MAX_BYTES = 64_000;
const MAX_FILES = 30;
const MAX_DEPTH = 5;

/** The user's own files come first, then the project's. If `names` is given, these files replace the usual files of the project. */
export async function readInstructions(
  places: InstructionPlaces,
  names?: readonly string[],
): Promise<FoundInstructions> {
  const reading = startReading(places);
  for (const path of [join(places.userFolder, "AGENTS.md"), join(places.home, ".claude", "CLAUDE.md")])
    await readFile({ path, isUsers: true, isOptional: true, chain: [] }, reading);
  for (const name of names ?? USUAL_NAMES) {
    const path = resolvePath(name, places.folder, places.home);
    await readFile({ path, isUsers: false, isOptional: names === undefined, chain: [] }, reading);
  }
  return reading.found;
}

/** The instructions in the folders from the project's folder down to `path`, and in `path` itself if it is a folder. */
export async function readNestedInstructions(
  places: InstructionPlaces,
  path: string,
): Promise<FoundInstructions> {
  const reading = startReading(places);
  const below = relative(places.folder, resolve(places.folder, path));
  const folders = below === "" ? [] : below.split(sep);
  if (folders.includes("..") || folders.some((name) => FOREIGN_FOLDERS.has(name))) return reading.found;
  for (let depth = 1; depth <= folders.length; depth++)
    for (const name of NESTED_NAMES) {
      const nested = join(places.folder, ...folders.slice(0, depth), name);
      await readFile({ path: nested, isUsers: false, isOptional: true, chain: [] }, reading);
    }
  return reading.found;
}

/** Folders with third-party code. Instructions in them are about that code, and this project's people have not checked them. */
const FOREIGN_FOLDERS = new Set(
  "node_modules bower_components vendor site-packages .venv venv .git".split(" "),
);

interface Reading {
  places: InstructionPlaces;
  /** Resolved when the first file is found. Most folders have none. */
  roots: Promise<Roots> | undefined;
  /** Real paths of all files that were read. */
  seen: Set<string>;
  room: number;
  found: FoundInstructions;
}

/** The folders in `places`, with links resolved. A folder that does not exist is left out. */
interface Roots {
  project: string | undefined;
  own: readonly string[];
  home: string | undefined;
}

interface FileToRead {
  path: string;
  isUsers: boolean;
  /** True if a missing file is not a problem. */
  isOptional: boolean;
  /** Real paths of the files that import this file. The outermost file comes first. */
  chain: readonly string[];
}

const startReading = (places: InstructionPlaces): Reading => ({
  places,
  roots: undefined,
  seen: new Set(),
  room: MAX_BYTES,
  found: { files: [], problems: [] },
});

async function resolveRoots({ folder, home, userFolder }: InstructionPlaces): Promise<Roots> {
  const real = (path: string) => realpath(path).catch(() => undefined);
  const own = await Promise.all([userFolder, join(home, ".claude")].map(real));
  return {
    project: await real(folder),
    own: own.filter((path) => path !== undefined),
    home: await real(home),
  };
}

/** Whether there is certainly no file. One quick system call, because most of the files that are looked for do not exist. */
function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

async function readFile(wanted: FileToRead, reading: Reading): Promise<void> {
  const { path, isUsers, isOptional, chain } = wanted;
  if (isOptional && isMissing(path)) return;
  const { found, places, seen } = reading;
  const real = await realpath(path).catch((error: NodeJS.ErrnoException) => error);
  const name = nameOf(path, reading);
  const report = (message: string): number => found.problems.push({ file: name, message });
  if (typeof real !== "string") {
    const isGone = real.code === "ENOENT" || real.code === "ENOTDIR";
    if (!isGone) report(`cannot be read (${real.code})`);
    else if (!isOptional) report("does not exist");
    return;
  }
  if (chain.includes(real)) return void report("imports itself in a circle: it was read once");
  if (seen.has(real)) return;
  reading.roots ??= resolveRoots(places);
  const roots = await reading.roots;
  const place = placeOf(real, isUsers, { ...roots, places });
  if (place === undefined) return void report("is outside the project, so it was not read");
  if (place === "project" && !places.mayRead(relative(roots.project!, real).split(sep).join("/")))
    return void report("was not read: a rule denies it");
  if (chain.length > MAX_DEPTH) return void report(`was not read: imports may lead ${MAX_DEPTH} files deep`);
  if (seen.size >= MAX_FILES) return void report(`was not read: ${MAX_FILES} files are the most`);
  const content = await readText(real, Math.min(MAX_FILE_BYTES, reading.room));
  if ("problem" in content) return void report(content.problem);
  seen.add(real);
  if (content.isCut)
    report(content.text === "" ? NO_ROOM : `is long: ${content.text.length} characters were read`);
  const text = content.text.trim();
  if (text === "") return;
  reading.room -= Buffer.byteLength(content.text);
  found.files.push({ file: name, text: content.isCut ? `${text}\n(cut here: ${name} is longer)` : text });
  for (const imported of importsIn(text)) {
    const target = resolvePath(imported, dirname(real), places.home);
    // A word such as `@someone` is not an import. So a missing file is reported only if its name ends like a document's name.
    const isOptional = !/\.(md|mdc|txt)$/i.test(imported);
    const isOwn = isUsers || place === "own";
    await readFile({ path: target, isUsers: isOwn, isOptional, chain: [...chain, real] }, reading);
  }
}

const NO_ROOM = `was not read: ${MAX_BYTES / 1_000} kB of instructions are the most`;

/** Whether a file belongs to the project or to the user. Undefined if the file must not be read. */
function placeOf(
  real: string,
  isUsers: boolean,
  { project, own, home, places }: Roots & Pick<Reading, "places">,
): "project" | "own" | undefined {
  const isIn = (root: string | undefined): boolean => root !== undefined && real.startsWith(root + sep);
  if (isUsers) return isIn(home) || own.some(isIn) ? "own" : undefined;
  if (isIn(project)) return "project";
  return places.trusted && own.some(isIn) ? "own" : undefined;
}

const resolvePath = (name: string, folder: string, home: string): string =>
  name.startsWith("~/") ? join(home, name.slice(2)) : resolve(folder, name);

function nameOf(path: string, { places: { folder, home } }: Reading): string {
  const below = (root: string): string | undefined => {
    const way = relative(root, path);
    return way.startsWith("..") || way === path ? undefined : way.split(sep).join("/");
  };
  const inHome = below(home);
  return below(folder) ?? (inHome === undefined ? path : `~/${inHome}`);
}

type Content = { text: string; isCut: boolean } | { problem: string };

/** Reads at most `max` bytes, and cuts at the end of a line. */
async function readText(path: string, max: number): Promise<Content> {
  let file: FileHandle | undefined;
  try {
    // A FIFO without a writer must not block the start of a run.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = await file.stat();
    if (found.isDirectory()) return { problem: "is a folder, so there are no instructions in it" };
    if (!found.isFile()) return { problem: "is not a file" };
    const { buffer, bytesRead } = await file.read(Buffer.alloc(max), 0, max, 0);
    const bytes = buffer.subarray(0, bytesRead);
    if (bytes.includes(0)) return { problem: "is not text" };
    const text = bytes
      .toString("utf8")
      .replace(/^\uFEFF/, "")
      .replace(/\r\n?/g, "\n");
    const isCut = found.size > bytesRead;
    return { text: isCut ? text.slice(0, Math.max(0, text.lastIndexOf("\n"))) : text, isCut };
  } catch (error) {
    return { problem: `cannot be read (${(error as NodeJS.ErrnoException).code})` };
  } finally {
    await file?.close();
  }
}
