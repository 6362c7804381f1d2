// An agent as it was loaded: the definition that a run pins, or the reasons why there is none.

import type { Problem } from "../config/problem.ts";
import type { Definition } from "../journal/definition.ts";

export interface Agent {
  /** The full name: `planner`, or `factory/planner` where a folder of ours groups them. */
  name: string;
  /** For people: relative to the project, `~/…` for the user's own, `builtin:…` for those that come with Cadre. */
  file: string;
  /** Undefined: broken, and the problems say why. */
  definition: Definition | undefined;
  /** The product that the file was written for: `cadre`, `claude` … */
  dialect: string;
  /** Nearer wins, and is looked in first for what a file refers to. */
  scope: "project" | "user" | "builtin";
  /** The agents that the file names, with the keys that name them. */
  references: Reference[];
  problems: Problem[];
  /** Where one of our keys stands in the file, for problems that only the whole set shows. */
  at(key: string): { line: number; column: number };
}

export interface Reference {
  /** One of our keys: `agents`, `handoff`, `router`, `advisors`, `team`, `bestOf`. */
  key: string;
  /** As the file writes it. */
  name: string;
  /** The full name of the agent that is meant; undefined: nobody, and a problem says so. */
  agent?: string;
  line: number;
  column: number;
}

/** How the names of models in agent files become `provider/model`. */
export interface ModelNames {
  /** For files without a model, and for `inherit` at the root of a tree. */
  default: string;
  /** `note`: another model than the file names is used, and why. */
  resolve(name: string): { model: string; note?: string; why?: string };
}

/** What there is besides agent files. */
export interface AgentEnvironment {
  models: ModelNames;
  /** The names and aliases of every tool; absent: nothing is said about tools that nobody has. */
  toolNames?: readonly string[];
  /** The tools that declare that they change files; absent: the built-in ones. */
  patches?: readonly { name: string; aliases?: readonly string[] | undefined }[];
  /** The names of the MCP servers; absent: nothing is said about servers that nobody has. */
  servers?: readonly string[];
  /** The names of the pools of workers; absent: nothing is said about pools that nobody has. */
  pools?: readonly string[];
}

/** Adds a problem where one of our keys stands; a warning, unless it says otherwise. */
export type ReportProblem = (
  key: string,
  problem: Pick<Problem, "code" | "message"> & Partial<Problem>,
) => void;
