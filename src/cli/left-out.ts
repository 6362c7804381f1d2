// Which store is opened, and who drives its runs, is nothing that a stranger's cadre.yaml may say (A52). What is opened in
// the place of a store that it names is another one: whoever opens it says so, or refuses.

import { problemText } from "../config/problem.ts";
import { type Config, type LeftOut, loadConfig } from "../config.ts";
import { CadreError } from "../errors.ts";
import { type Invocation, type Io, sayTrouble, typedAt } from "./io.ts";
import { plainLine } from "./view/plain.ts";

/** A command may open the store several times. */
const said = new WeakMap<object, Set<string>>();

/** The person at the command; who is none hears it on the stderr of the process. */
export type Hearer = Pick<Io, "env"> & Partial<Pick<Io, "stderr" | "cwd" | "cadre">>;

/** Once for each command and folder. `tell`: in the place of a sentence on stderr. */
export function sayLeftOut({ folder, leftOut }: Config, io: Hearer, tell?: (sentence: string) => void): void {
  const folders = said.get(io) ?? new Set();
  if (folders.has(folder)) return;
  said.set(io, folders.add(folder));
  const { stderr = process.stderr, cwd = process.cwd() } = io;
  for (const problem of Object.values(leftOut)) {
    const sentence = plainLine(problemText(problem));
    if (tell) tell(sentence);
    else sayTrouble(sentence, { stderr }, typedAt({ ...io, cwd }, folder));
  }
}

/** What else is wrong with the configuration, a line each. */
export const otherProblems = ({ problems, leftOut }: Config): string[] =>
  problems
    .filter((problem) => !Object.values(leftOut).includes(problem))
    .map((problem) => plainLine(problemText(problem)));

/** Before something is written where nobody looks for it, or waits where nothing comes. `keys`: which of them it needs. */
export function refuseLeftOut(
  { folder, io }: Invocation,
  keys: readonly (keyof LeftOut)[],
  nothing: string,
): void {
  const { leftOut } = loadConfig({ folder, env: io.env });
  const problem = keys.map((key) => leftOut[key]).find((found) => found !== undefined);
  if (problem) throw new CadreError("UNTRUSTED", `${plainLine(problemText(problem))}. ${nothing}`);
}
