// A check: one rule about agents that only the whole set shows. It is pure and sees every agent as it was loaded, so
// the order of checks and of agents changes nothing.

import type { Problem } from "../../config/problem.ts";
import type { Definition } from "../../journal/definition.ts";
import type { Agent } from "../agent.ts";

export interface Finding extends Pick<Problem, "code" | "severity" | "message" | "suggestion"> {
  /** The key of ours that is wrong. */
  key: string;
  /** The agent that the key names there, if it is about that one. */
  names?: string;
  /** Takes that one out of whom the agent may delegate to. */
  drop?: true;
}

export interface CheckedAgent extends Agent {
  definition: Definition;
}

export interface CheckContext {
  agents: ReadonlyMap<string, Agent>;
  /** The names and aliases of every tool there is; empty: not known. */
  toolNames: readonly string[];
  /** The MCP servers; absent: not known. */
  servers?: readonly string[] | undefined;
}

export type Check = (agent: CheckedAgent, surroundings: CheckContext) => Finding[];

export const errorAt = (
  key: string,
  code: string,
  message: string,
  more: Partial<Finding> = {},
): Finding => ({
  key,
  code,
  severity: "error",
  message,
  ...more,
});

export const warningAt = (
  key: string,
  code: string,
  message: string,
  more: Partial<Finding> = {},
): Finding => ({ ...errorAt(key, code, message, more), severity: "warning" });
