// The environment of a command: what it needs, and none of ours. Keys of providers and tokens never reach a child.

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
    // Nobody is there to page or to type.
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    ...gitSettingVariables([]),
  };
}

/** A repository's own hooks and monitor are not run (A30). */
const ALWAYS: readonly GitSetting[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
];

export type GitSetting = readonly [key: string, value: string];

/** Settings that win over every file, as variables; `more` beside those that always hold. */
export function gitSettingVariables(more: readonly GitSetting[]): NodeJS.ProcessEnv {
  const all = new Map([...ALWAYS, ...more]);
  const pairs = [...all].flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(all.size), ...Object.fromEntries(pairs) };
}

/** A program that an agent can write must not pass for `ls`, nor for one that is not installed: `npx cadre` puts such folders there. */
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
