// Builds the parts of the API for the process that owns the store.

import { userInfo } from "node:os";
import type { ApiParts } from "../api/parts.ts";
import { openSettings } from "../api/server/settings-file.ts";
import { isServerStore } from "../config/config.ts";
import type { RuntimeAssembly } from "./assembly.ts";
import { configChecks } from "./checks/config.ts";
import { environmentChecks } from "./checks/machine.ts";
import { sandboxCheck } from "./checks/sandbox.ts";
import { commandPrefix } from "./command-prefix.ts";
import { otherProjects } from "./other-projects.ts";
import { version } from "./version.ts";

type Env = Readonly<Record<string, string | undefined>>;

export function apiParts(runtime: RuntimeAssembly, drives: boolean, env: Env): ApiParts {
  const { config, store, people, parts, defaultModel, agents, onDelta, openTexts, onProblem } = runtime;
  const { admit, retry, fork, say, explain, agentFile, workspaceTree, replay, replayAgent, sentRequest } =
    runtime;
  const info = {
    version: version(),
    folder: config.folder,
    command: commandPrefix(config.folder),
    startedAt: Date.now(),
    drives,
    isShared: isServerStore(config.store),
    model: defaultModel,
    agent: config.agent?.default,
    ours: runtime.poolFilter,
    pools: config.pools,
  };
  const by = userName();
  return {
    store,
    people,
    admit,
    retry,
    fork,
    say,
    explain,
    agentFile,
    workspaceTree,
    webhooks: runtime.webhooks,
    schedules: runtime.schedules,
    inbound: runtime.inbound,
    replay,
    replayAgent,
    sentRequest,
    settings: openSettings(config.dir),
    agents,
    onDelta,
    openTexts,
    onProblem,
    info,
    web: {},
    projects: otherProjects(config.folder, env),
    systemPrompt: parts.systemPrompt,
    who: () => by,
    checks: async () => [
      ...(await environmentChecks(config.folder)),
      ...configChecks(config.folder, env),
      await sandboxCheck(config.folder, env),
    ],
  };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // The user id of a process in a container might have no user name.
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}
