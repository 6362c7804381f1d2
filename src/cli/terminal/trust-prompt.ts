// Lists what a folder's files could do if the folder were trusted. Asks the person once whether to trust the folder (A52).

import { programText } from "../../agents/explain/explain.ts";
import { loadConfig } from "../../config/config.ts";
import { isForeignStore } from "../../config/known-stores.ts";
import { isDeclined, setTrust } from "../../config/trust.ts";
import { type Invocation, isAttended } from "../invocation.ts";
import { projectOf } from "../project.ts";
import { plainLine } from "../view/text/plain.ts";
import { confirm } from "./keys.ts";

/** Says whether the folder is trusted, and lists everything that needs trust, one line each. */
export async function settingsNeedingTrust(
  invocation: Invocation,
): Promise<{ trusted: boolean; lines: string[] }> {
  const { folder, io } = invocation;
  const config = loadConfig({ folder, env: io.env });
  const { trusted, ignoredSettings, dir } = config;
  const settings = ignoredSettings.map(
    ({ path, what, problem }) => `${problem.file}:${problem.line} \`${path}\` sets ${what}`,
  );
  const store = isForeignStore(config, io.env)
    ? [`${dir} came with the folder: the runs, approvals and grants in it would be used`]
    : [];
  return { trusted, lines: [...settings, ...(await startedPrograms(invocation)), ...store].map(plainLine) };
}

/** Lists the code and the programs that the project's agents would start: steps modules and runners. */
async function startedPrograms(invocation: Invocation): Promise<string[]> {
  const { agents } = await projectOf(invocation).agents();
  return [...agents.values()]
    .filter(({ file }) => !/^(~\/|builtin:)/.test(file))
    .flatMap(({ file, definition: { steps, runner } = {} }) => [
      ...(steps ? [`${file} runs code: ${steps.module}`] : []),
      ...(runner ? [`${file} starts a program: ${programText(runner)}`] : []),
    ]);
}

/** Asks the person at a terminal before the first run in a folder that needs trust. A person who declined is not asked again. */
export async function askForTrust(invocation: Invocation): Promise<void> {
  const { folder, io, screen, commandLine } = invocation;
  if (!isAttended(invocation) || isDeclined(folder, io.env)) return;
  const { trusted, lines } = await settingsNeedingTrust(invocation);
  if (trusted || lines.length === 0) return;
  screen.line("This folder is not trusted. If you trust it:");
  for (const line of lines) screen.line(`  ${line}`);
  const agreed = await confirm(invocation, "Do you know who wrote it, and trust it? [y/N] ");
  setTrust(folder, agreed ? "trusted" : "declined", io.env);
  if (!agreed) screen.line(`Continuing without them. \`${commandLine("trust")}\` if you change your mind.`);
}
