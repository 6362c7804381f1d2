// A loaded agent: the definition that a run pins, or the problems that prevent a definition.

import type { Problem } from "../config/problem.ts";
import type { Definition } from "../journal/definition.ts";

export interface Agent {
  /** The full name: `planner`, or `factory/planner` in a pack. */
  name: string;
  /** The file's name in messages: relative to the project, `~/…` for a user's own file, `builtin:…` for a built-in agent. */
  file: string;
  /** Undefined if the agent is broken. `problems` then says why. */
  definition: Definition | undefined;
  /** The product whose format the file has: `cadre`, `claude` and so on. */
  dialect: string;
  /** If two agents have the same name, the one in the nearer scope is used. References are searched there first. */
  scope: "project" | "user" | "builtin";
  /** The agents that the file names, with the keys that name them. */
  references: Reference[];
  problems: Problem[];
  /** Position of a Cadre key in the file, for problems that only show in the whole set. */
  at(key: string): { line: number; column: number };
}

export interface Reference {
  /** The Cadre key: `agents`, `handoff`, `router`, `advisors`, `team` or `bestOf`. */
  key: string;
  /** The name as written in the file. */
  name: string;
  /** Full name of the agent that the reference means. Undefined if there is none, which a problem reports. */
  agent?: string;
  line: number;
  column: number;
}

/** Resolves model names in agent files to `provider/model`. */
export interface ModelNames {
  /** The model of files that name no model, and of `inherit` at the root of a tree. */
  default: string;
  /** `note` says why another model than the named one is used. */
  resolve(name: string): { model: string; note?: string; why?: string };
}

/** Names from outside the agent files, which compiling and checking need. */
export interface AgentEnvironment {
  models: ModelNames;
  /** Names and aliases of all tools. Absent: unknown tools are not reported. */
  toolNames?: readonly string[];
  /** Tools that declare that they change files. Absent: the built-in tools that do. */
  patches?: readonly { name: string; aliases?: readonly string[] | undefined }[];
  /** Names of the MCP servers. Absent: unknown servers are not reported. */
  servers?: readonly string[];
  /** Names of the worker pools. Absent: unknown pools are not reported. */
  pools?: readonly string[];
}

/** Adds a problem at the position of a Cadre key. It is a warning by default. */
export type ReportProblem = (
  key: string,
  problem: Pick<Problem, "code" | "message"> & Partial<Problem>,
) => void;
