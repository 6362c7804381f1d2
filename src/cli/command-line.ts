// Formats commands the way the person at the terminal types them: with the same program name and the same `-C` folder.
// Other modules write `cadre …` in backticks in their sentences. This module rewrites these commands.

import { basename, isAbsolute, relative } from "node:path";

/** Formats a command for the same project: `show r1` becomes `npx cadre show r1 -C folder`. */
export type CommandLine = (command: string) => string;

export function createCommandLine(
  cadre: string,
  { cwd, folder }: { cwd: string; folder: string },
): CommandLine {
  const at = folder === cwd ? "" : ` -C ${quotePath(folder)}`;
  return (command) => `${cadre} ${command}${at}`;
}

export const rewriteCommands = (text: string, commandLine: CommandLine): string =>
  text.replaceAll(/`cadre ([^`]+)`/g, (_, command: string) => `\`${commandLine(command)}\``);

/** `script` is the path of the script that Node runs. The path shows whether Cadre is on the PATH, in node_modules or in a clone. */
export function launcherName(script: string, cwd: string): string {
  if (/[\\/]node_modules[\\/]/.test(script)) return NPX;
  if (basename(script) !== "cadre.js") return "cadre";
  const near = relative(cwd, script);
  return `node ${quotePath(near.startsWith("..") || isAbsolute(near) ? script : near)}`;
}

export const NPX = "npx cadre";

const quotePath = (path: string): string =>
  /[^\w@%+=:,./-]/.test(path) ? `'${path.replaceAll("'", "'\\''")}'` : path;
