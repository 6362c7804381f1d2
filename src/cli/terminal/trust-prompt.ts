// Lists what a folder's files could do if the folder were trusted. Asks the person once whether to trust the folder (A52).

import { programText } from "../../agents/explain/explain.ts";
import { type Config, loadConfig } from "../../config/config.ts";
import { createHookCheck, type HookPins, pinsOf } from "../../config/hook-pins.ts";
import { isForeignStore } from "../../config/known-stores.ts";
import { isDeclined, setTrust } from "../../config/trust.ts";
import { messageOf } from "../../errors.ts";
import { launchText } from "../../mcp/pins.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { type Invocation, isAttended } from "../invocation.ts";
import { projectOf } from "../project.ts";
import { plainLine } from "../view/text/plain.ts";
import { confirm } from "./keys.ts";

export interface TrustState {
  trusted: boolean;
  /** Everything that needs trust, one line each. */
  lines: string[];
  /** The commands that the folder's files start, one line each. In an untrusted folder, those that they would start. */
  commands: string[];
  /** What is to be stored if the person trusts the folder. */
  pins: HookPins;
  /** The hooks that are not run, because they are new or have changed since the folder was trusted. */
  changedHooks: string[];
}

/** Says what the folder's files could do if a person trusted it. */
export async function trustState(invocation: Invocation): Promise<TrustState> {
  const { folder, io } = invocation;
  const config = loadConfig({ folder, env: io.env });
  const { trusted, ignoredSettings, dir } = config;
  const settings = ignoredSettings.map(
    ({ path, what, problem }) => `${problem.file}:${problem.line} \`${path}\` sets ${what}`,
  );
  const store = isForeignStore(config, io.env)
    ? [`${dir} came with the folder: the runs, approvals and grants in it would be used`]
    : [];
  const programs = await startedPrograms(invocation);
  const { hooks, commands } = readAsTrusted(invocation);
  const check = createHookCheck(folder, io.env);
  const changed = trusted
    ? hooks.flatMap((hook) => {
        const why = check(hook);
        return why === undefined ? [] : [`the hook \`${hook.command}\`: ${why}`];
      })
    : [];
  return {
    trusted,
    lines: [...settings, ...programs, ...store].map(plainLine),
    commands: [...commands, ...(trusted ? programs : [])].map(plainLine),
    pins: pinsOf(hooks, folder),
    changedHooks: changed.map(plainLine),
  };
}

/** The hooks of a folder, and the commands in its settings, as they apply once it is trusted. */
function readAsTrusted({ folder, io }: Invocation): { hooks: Config["hooks"]; commands: string[] } {
  try {
    const config = loadConfig({ folder, env: { ...io.env, CADRE_TRUST: "1" } });
    return { hooks: config.hooks, commands: commandsOf(config) };
  } catch (error) {
    return { hooks: [], commands: [`once it is trusted, no command works here: ${messageOf(error)}`] };
  }
}

function commandsOf({ hooks, mcpServers, services }: Config): string[] {
  return [
    ...hooks
      .filter(({ isOwn }) => !isOwn)
      .map(({ event, matcher, command, at }) => {
        const about = matcher === undefined ? event : `${event} ${matcher}`;
        return `${at.file}:${at.line} hook (${about}): ${command}`;
      }),
    ...Object.entries(mcpServers).map(([name, { command, args, url }]) => {
      const how = url === undefined ? "runs" : "is at";
      return `MCP server ${name} ${how}: ${launchText(omitUndefined({ command, args, url }))}`;
    }),
    ...Object.entries(services).flatMap(([name, { restart, health }]) => [
      `service ${name}, to restart it: ${restart.join(" ")}`,
      ...(health?.command ? [`service ${name}, to check it: ${health.command.join(" ")}`] : []),
    ]),
  ];
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

/**
 * Asks the person at a terminal before the first run in a folder that needs trust. A person who declined is not asked again.
 * In a trusted folder, asks about hooks that have changed since.
 */
export async function askForTrust(invocation: Invocation): Promise<void> {
  const { folder, io, screen, commandLine } = invocation;
  if (!isAttended(invocation) || isDeclined(folder, io.env)) return;
  const { trusted, lines, commands, pins, changedHooks } = await trustState(invocation);
  if (trusted && changedHooks.length > 0) {
    screen.line("Hooks of this folder are not run, because you have not seen them as they are now:");
    for (const line of changedHooks) screen.line(`  ${line}`);
    if (await confirm(invocation, "Do you know what they do, and trust them? [y/N] "))
      setTrust(folder, "trusted", io.env, pins);
  }
  if (trusted || lines.length === 0) return;
  screen.line("This folder is not trusted. If you trust it:");
  for (const line of [...lines, ...commands]) screen.line(`  ${line}`);
  const agreed = await confirm(invocation, "Do you know who wrote it, and trust it? [y/N] ");
  setTrust(folder, agreed ? "trusted" : "declined", io.env, agreed ? pins : {});
  if (!agreed) screen.line(`Continuing without them. \`${commandLine("trust")}\` if you change your mind.`);
}
