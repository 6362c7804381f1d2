// Finds the schedules of a project: those of cadre.yaml, and those in agent files.
// A schedule in an untrusted folder starts nothing (A101). Agents of the user's own folder are trusted.

import type { Agent } from "../agents/agent.ts";
import type { AgentSet } from "../agents/load.ts";
import type { Clock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import type { NamedSchedule } from "./scheduler.ts";

/** How long the agent files are not read again. */
const CACHE_MS = 15_000;

export function createProjectSchedules(
  config: Pick<Config, "schedules" | "trusted">,
  agents: () => Promise<AgentSet>,
  clock: Pick<Clock, "elapsed">,
): () => Promise<readonly NamedSchedule[]> {
  const ofConfig = Object.entries(config.trusted ? (config.schedules ?? {}) : {}).map(([name, schedule]) => ({
    ...schedule,
    name,
    file: "cadre.yaml",
  }));
  let cached: { schedules: readonly NamedSchedule[]; at: number } | undefined;
  return async () => {
    if (cached && clock.elapsed() - cached.at < CACHE_MS) return cached.schedules;
    const ofAgents = [...(await agents()).agents.values()].flatMap((agent) => ofAgent(agent, config));
    cached = { schedules: [...ofConfig, ...ofAgents], at: clock.elapsed() };
    return cached.schedules;
  };
}

function ofAgent(
  { name, file, scope, schedule, definition }: Agent,
  { trusted }: Pick<Config, "trusted">,
): NamedSchedule[] {
  const isTrusted = scope === "user" || (scope === "project" && trusted);
  if (!schedule || !definition || !isTrusted) return [];
  return [{ ...schedule, agent: name, name: `agent/${name}`, file }];
}
