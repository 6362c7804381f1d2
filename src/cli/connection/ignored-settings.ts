// A cadre.yaml in an untrusted folder must not choose the store or the engine (A52).
// Cadre ignores these settings of an untrusted folder and uses the defaults. Every command reports this, or refuses to run.

import { type Config, type IgnoredKeys, loadConfig } from "../../config/config.ts";
import { problemText } from "../../config/problem.ts";
import { CadreError } from "../../errors.ts";
import { commandLineFor, type Invocation, type Io, printError } from "../invocation.ts";
import { plainLine } from "../view/text/plain.ts";

/** The folders about which each command has already printed a notice. A command can open the store several times. */
const reported = new WeakMap<object, Set<string>>();

/** The streams and settings for printing a notice. If `stderr` is absent, the stderr of the process is used. */
export type NoticeIo = Pick<Io, "env"> & Partial<Pick<Io, "stderr" | "cwd" | "launcher">>;

/** Prints which settings are ignored, once per command and folder. If `tell` is given, the text is passed to `tell` instead. */
export function printIgnoredSettings(
  { folder, ignoredKeys }: Config,
  io: NoticeIo,
  tell?: (sentence: string) => void,
): void {
  const folders = reported.get(io) ?? new Set();
  if (folders.has(folder)) return;
  reported.set(io, folders.add(folder));
  const { stderr = process.stderr, cwd = process.cwd() } = io;
  for (const problem of Object.values(ignoredKeys)) {
    const sentence = plainLine(problemText(problem));
    if (tell) tell(sentence);
    else printError(sentence, { stderr }, commandLineFor({ ...io, cwd }, folder));
  }
}

/** Lists the other problems of the configuration, one line each. Ignored settings are left out. */
export const otherConfigProblems = ({ problems, ignoredKeys }: Config): string[] =>
  problems
    .filter((problem) => !Object.values(ignoredKeys).includes(problem))
    .map((problem) => plainLine(problemText(problem)));

/** Refuses a command that would use the wrong store or engine. `keys` are the settings that the command depends on. */
export function refuseIgnoredSettings(
  { folder, io }: Invocation,
  keys: readonly (keyof IgnoredKeys)[],
  nothing: string,
): void {
  const { ignoredKeys } = loadConfig({ folder, env: io.env });
  const problem = keys.map((key) => ignoredKeys[key]).find((found) => found !== undefined);
  if (problem) throw new CadreError("UNTRUSTED", `${plainLine(problemText(problem))}. ${nothing}`);
}
