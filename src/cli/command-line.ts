// How a person types our commands: what `cadre` is called where they have it, and the folder that they named. Sentences
// from below the command line say `cadre …` between backticks, and are put so here.

import { basename, isAbsolute, relative } from "node:path";

/** A command as this person types it, to reach the same project: `show r1` is `npx cadre show r1 -C folder`. */
export type CommandLine = (command: string) => string;

export function createCommandLine(
  cadre: string,
  { cwd, folder }: { cwd: string; folder: string },
): CommandLine {
  const at = folder === cwd ? "" : ` -C ${quoted(folder)}`;
  return (command) => `${cadre} ${command}${at}`;
}

export const rewriteCommands = (text: string, typed: CommandLine): string =>
  text.replaceAll(/`cadre ([^`]+)`/g, (_, command: string) => `\`${typed(command)}\``);

/** `script` is what Node was told to run: the name on a person's PATH, npm's in a project, or our file in a clone. */
export function launcherName(script: string, cwd: string): string {
  if (/[\\/]node_modules[\\/]/.test(script)) return NPX;
  if (basename(script) !== "cadre.js") return "cadre";
  const near = relative(cwd, script);
  return `node ${quoted(near.startsWith("..") || isAbsolute(near) ? script : near)}`;
}

export const NPX = "npx cadre";

const quoted = (path: string): string =>
  /[^\w@%+=:,./-]/.test(path) ? `'${path.replaceAll("'", "'\\''")}'` : path;
