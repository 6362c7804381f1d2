// Runs a command in the project's sandbox. Afterwards, new protected files are moved away, because they decide which programs run.
// The answer says what the sandbox prevented.

import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { revealHiddenInName } from "../../journal/visible.ts";
import { gitFoldersOf } from "../git/git-folders.ts";
import { withLimits } from "../shell/resource-limits.ts";
import { withSubreaper } from "../shell/supervise.ts";
import type { ToolContext } from "../tool.ts";
import { type AccessRequest, guardedPaths, resolveAccess } from "./access.ts";
import { findSandbox } from "./find-sandbox.ts";
import { guardGitConfig } from "./git-config-guard.ts";
import { hiddenKeys } from "./hidden-keys.ts";
import { type Removal, removeCreated } from "./protected-paths.ts";
import type { SandboxAccess, SandboxName, SandboxSettings } from "./sandbox.ts";

/** The project's settings for running commands. */
export interface Confinement {
  sandbox: SandboxSettings;
  /** The project's folder. `stateFolder` is the folder of Cadre's own files. */
  folder: string;
  stateFolder: string;
  /** Whether a path, relative to the workspace, is a protected file. Protected files decide which programs run. */
  isProtected: (path: string) => boolean;
  /** Files that the configuration names, relative to the workspace. They are protected wherever they are. */
  named?: () => readonly string[];
  /** Finds the files in the workspace that hold keys, as absolute paths. */
  keyFiles?: (workspace: string) => readonly string[];
}

/** Information for the sandbox about the call that runs a command. */
export type ConfinedCall = Pick<
  ToolContext,
  "workspace" | "effect" | "approved" | "runId" | "callId" | "attempt"
>;

export interface Confined {
  sandbox: SandboxName;
  argv: string[];
  env: NodeJS.ProcessEnv;
  /** Must be called when the command has ended. Takes the output of a failed command. Returns sentences for the answer. */
  checkAfterwards(complaint: string): Promise<string[]>;
  /** Must be called last, even if the command never started. */
  release(): void;
}

export async function confine(
  argv: readonly string[],
  options: { command: string; env: NodeJS.ProcessEnv; context: ConfinedCall; setup: Confinement },
): Promise<Confined | { problem: string }> {
  const { command, env, context, setup } = options;
  const found = await findSandbox(setup.sandbox);
  if ("problem" in found)
    return {
      problem: `nothing was run: cadre.yaml asks for the sandbox ${setup.sandbox.driver}, and ${found.problem}. \`cadre doctor\` says what is missing.`,
    };
  const { sandbox } = found;
  const limited = withLimits(argv);
  const keys = hiddenKeys(command, context, setup.keyFiles);
  if (sandbox.name === "none" && keys.searched.length > 0)
    return {
      problem: `nothing was run: this would search ${namesOf(keys.searched)}, which ${keys.searched.length === 1 ? "holds" : "hold"} keys, and there is no sandbox that could hide them. Use Grep, which masks keys, or name the folders to search.`,
    };
  if (sandbox.name === "none")
    return {
      sandbox: "none",
      argv: withSubreaper(limited, env["PATH"] ?? ""),
      env,
      checkAfterwards: async () => [],
      release: () => undefined,
    };
  const request: AccessRequest = {
    ...setup,
    command,
    workspace: context.workspace,
    effect: context.effect ?? "unsafe",
    approved: context.approved === true,
    network: setup.sandbox.network,
    write: setup.sandbox.write,
    path: env["PATH"] ?? "",
    emptied: keys.files,
  };
  const { guarded, git, ...reach } = await resolveAccess(request);
  const putBack =
    request.approved && git ? await guardGitConfig(join(git.common, "config"), command) : undefined;
  const wrapped = await sandbox.wrap(limited, reach);
  return {
    sandbox: sandbox.name,
    argv: wrapped.argv,
    env,
    async checkAfterwards(complaint) {
      if (request.effect === "read") {
        const unseen = [...new Set([...keys.searched, ...keys.named])];
        return unseen.length > 0
          ? [
              `Shown empty to this search, because of the keys in it: ${namesOf(unseen)}. Grep searches its masked form.`,
            ]
          : [];
      }
      const workspace = await realpath(context.workspace);
      const now = await guardedPaths(request, workspace, await gitFoldersOf(workspace));
      const keptIn = join(setup.stateFolder, "taken", context.runId, `${context.callId}-${context.attempt}`);
      const taken = await removeCreated(guarded, now, keptIn);
      const settings = (await putBack?.(join(keptIn, ".git"))) ?? [];
      return [
        ...takenWords(taken, keptIn),
        ...settingWords(settings, keptIn),
        ...hint(complaint, sandbox.name, reach),
      ];
    },
    release: () => wrapped.done?.(),
  };
}

function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, 5).map(revealHiddenInName).join(", ");
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}

function takenWords({ moved, left }: Removal, keptIn: string): string[] {
  const those = (names: readonly string[]) =>
    `${names.map(revealHiddenInName).join(", ")} ${names.length === 1 ? "was" : "were"}`;
  const rule =
    "files that decide what runs may only be made by a command that names them and that a person has approved";
  return [
    ...(moved.length === 0 ? [] : [`${those(moved)} made by this command and moved to ${keptIn}: ${rule}.`]),
    ...(left.length === 0
      ? []
      : [
          `Mind: ${those(left)} made by this command and could not be moved away: a person must look. ${rule}.`,
        ]),
  ];
}

const settingWords = (settings: readonly string[], keptIn: string): string[] =>
  settings.length === 0
    ? []
    : [
        `.git/config was put back: this command set ${settings.map(revealHiddenInName).join(", ")}, which only a command may that says \`git config\`. What it made of it is in ${keptIn}.`,
      ];

const SIGNS =
  /read-only file system|EROFS|device or resource busy|resolve host|name resolution|network is unreachable|ENOTFOUND|EAI_AGAIN|ENETUNREACH|no new privileges|CONNECT tunnel failed|blocked by/i;

/** Explains a failure that the sandbox caused. To the command, such a failure looks like a broken network or disk. */
function hint(complaint: string, name: SandboxName, { network }: SandboxAccess): string[] {
  if (!SIGNS.test(complaint)) return [];
  const held =
    "only the workspace can be written, and not the files in it that decide what runs; home folders are empty";
  const calls =
    network === "on"
      ? ""
      : network === "off"
        ? "; there is no network"
        : `; only ${network.join(", ")} can be called`;
  return [
    `It ran in a sandbox (${name}): ${held}${calls}. A person can change that in cadre.yaml (\`sandbox\`).`,
  ];
}
