// The environment of a command contains only the variables that it needs. Provider keys and tokens never reach a child process.

import { delimiter, isAbsolute, sep } from "node:path";

const PASSED_ON = ["HOME", "LANG", "TMPDIR", "USER"] as const;

export function cleanEnvironment(
  workspace: string,
  runId: string,
  ours: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {
    PATH: trustedPath(ours["PATH"] ?? "/usr/local/bin:/usr/bin:/bin", workspace),
  };
  for (const name of PASSED_ON) if (ours[name] !== undefined) env[name] = ours[name];
  env["LANG"] ??= "C.UTF-8";
  return {
    ...env,
    TERM: "dumb",
    CADRE_RUN_ID: runId,
    // A command has no terminal for a pager or a prompt.
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    ...gitSettingVariables([]),
  };
}

/** Turns off the repository's own hooks and file system monitor (A30). */
const ALWAYS: readonly GitSetting[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
];

export type GitSetting = readonly [key: string, value: string];

/** Git settings as environment variables, which override every config file. The fixed settings come last, so nothing in `more` replaces them. */
export function gitSettingVariables(more: readonly GitSetting[]): NodeJS.ProcessEnv {
  const all = new Map([...more, ...ALWAYS]);
  const pairs = [...all].flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(all.size), ...Object.fromEntries(pairs) };
}

/** Removes PATH folders that an agent can write to, such as those that `npx cadre` adds. A program in such a folder could pretend to be `ls`. */
function trustedPath(path: string, workspace: string): string {
  const isOfProject = (folder: string) =>
    folder === workspace ||
    folder.startsWith(workspace + sep) ||
    /[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder);
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !isOfProject(folder))
    .join(delimiter);
}
