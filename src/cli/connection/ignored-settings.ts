// Which store is opened, and who drives its runs, is nothing that a stranger's cadre.yaml may say (A52). What is opened in
// the place of a store that it names is another one: whoever opens it says so, or refuses.

import { type Config, type IgnoredKeys, loadConfig } from "../../config/config.ts";
import { problemText } from "../../config/problem.ts";
import { CadreError } from "../../errors.ts";
import { commandLineFor, type Invocation, type Io, printError } from "../invocation.ts";
import { plainLine } from "../view/text/plain.ts";

/** A command may open the store several times. */
const said = new WeakMap<object, Set<string>>();

/** The person at the command; who is none hears it on the stderr of the process. */
export type NoticeIo = Pick<Io, "env"> & Partial<Pick<Io, "stderr" | "cwd" | "cadre">>;

/** Once for each command and folder. `tell`: in the place of a sentence on stderr. */
export function printIgnoredSettings(
  { folder, ignoredKeys }: Config,
  io: NoticeIo,
  tell?: (sentence: string) => void,
): void {
  const folders = said.get(io) ?? new Set();
  if (folders.has(folder)) return;
  said.set(io, folders.add(folder));
  const { stderr = process.stderr, cwd = process.cwd() } = io;
  for (const problem of Object.values(ignoredKeys)) {
    const sentence = plainLine(problemText(problem));
    if (tell) tell(sentence);
    else printError(sentence, { stderr }, commandLineFor({ ...io, cwd }, folder));
  }
}

/** What else is wrong with the configuration, a line each. */
export const otherConfigProblems = ({ problems, ignoredKeys }: Config): string[] =>
  problems
    .filter((problem) => !Object.values(ignoredKeys).includes(problem))
    .map((problem) => plainLine(problemText(problem)));

/** Before something is written where nobody looks for it, or waits where nothing comes. `keys`: which of them it needs. */
export function refuseIgnoredSettings(
  { folder, io }: Invocation,
  keys: readonly (keyof IgnoredKeys)[],
  nothing: string,
): void {
  const { ignoredKeys } = loadConfig({ folder, env: io.env });
  const problem = keys.map((key) => ignoredKeys[key]).find((found) => found !== undefined);
  if (problem) throw new CadreError("UNTRUSTED", `${plainLine(problemText(problem))}. ${nothing}`);
}
