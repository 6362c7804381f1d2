// A loaded agent: the definition that a run pins, or the problems that prevent one.

import type { Problem } from "../config/problem.ts";
import type { Definition } from "../journal/definition.ts";

export interface Agent {
  /** The full name: `planner`, or `factory/planner` in a pack. */
  name: string;
  /** The file's name in messages: relative to the project, `~/…` for the user's own, `builtin:…` for built-in agents. */
  file: string;
  /** Undefined: the agent is broken, and `problems` says why. */
  definition: Definition | undefined;
  /** The product whose format the file has: `cadre`, `claude` … */
  dialect: string;
  /** The nearer scope wins a name, and is searched first for a reference. */
  scope: "project" | "user" | "builtin";
  /** The agents that the file names, with the keys that name them. */
  references: Reference[];
  problems: Problem[];
  /** Position of one of our keys in the file, for problems that only the whole set shows. */
  at(key: string): { line: number; column: number };
}

export interface Reference {
  /** One of our keys: `agents`, `handoff`, `router`, `advisors`, `team`, `bestOf`. */
  key: string;
  /** The name as written in the file. */
  name: string;
  /** Full name of the agent that is meant. Undefined: there is none, and a problem says so. */
  agent?: string;
  line: number;
  column: number;
}

/** Resolves model names in agent files to `provider/model`. */
export interface ModelNames {
  /** Model of files that name none, and of `inherit` at the root of a tree. */
  default: string;
  /** `note`: why another model than the named one is used. */
  resolve(name: string): { model: string; note?: string; why?: string };
}

/** Names from outside the agent files that agents are compiled and checked against. */
export interface AgentEnvironment {
  models: ModelNames;
  /** Names and aliases of all tools. Absent: unknown tools are not reported. */
  toolNames?: readonly string[];
  /** Tools that declare that they change files. Absent: the built-in ones. */
  patches?: readonly { name: string; aliases?: readonly string[] | undefined }[];
  /** Names of the MCP servers. Absent: unknown servers are not reported. */
  servers?: readonly string[];
  /** Names of the worker pools. Absent: unknown pools are not reported. */
  pools?: readonly string[];
}

/** Adds a problem at the position of one of our keys. A warning by default. */
export type ReportProblem = (
  key: string,
  problem: Pick<Problem, "code" | "message"> & Partial<Problem>,
) => void;
