// A loaded agent with its definition. A broken agent has no definition, only problems.

import type { z } from "zod";
import type { Problem } from "../config/problem.ts";
import type { AgentSchedule } from "../config/schedule.ts";
import type { Definition } from "../journal/definition.ts";
import type { Reasoning } from "../journal/reasoning.ts";

export interface Agent {
  /** The full name of the agent: `planner`, or `factory/planner` for an agent in a pack. */
  name: string;
  /** The file's name in messages: a path relative to the project, `~/…` for a user's own file, or `builtin:…` for a built-in agent. */
  file: string;
  /** The compiled agent. Undefined if the agent is broken; `problems` then says why. */
  definition: Definition | undefined;
  /** The product that the file was written for: `cadre`, `claude` and so on. */
  dialect: string;
  /** If two agents have the same name, Cadre uses the agent in the nearer scope. A reference is also resolved in the nearer scope first. */
  scope: "project" | "user" | "builtin";
  /** When Cadre starts the agent by itself. */
  schedule?: z.output<typeof AgentSchedule>;
  /** References to other agents. Each reference says which key of the file contains it. */
  references: Reference[];
  problems: Problem[];
  /** Position of a Cadre key in the file. Checks of the whole set use it to say where a problem is. */
  at(key: string): { line: number; column: number };
}

export interface Reference {
  /** The Cadre key that contains the reference: `agents`, `handoff`, `router`, `advisors`, `team` or `bestOf`. */
  key: string;
  /** If set, messages about problems show this key instead of `key`: `delegate_targets`, if only the policy mentions the delegate. */
  by?: string;
  /** The agent's name as the file spells it. */
  name: string;
  /** Full name of the agent that the reference means. Undefined if no such agent exists. */
  agent?: string;
  line: number;
  column: number;
}

/** Resolves model names in agent files to `provider/model`. */
export interface ModelNames {
  /** The model for files without a `model` key, and for a root run whose agent says `inherit`. */
  default: string;
  /** `note` explains why another model is used instead of the named model. */
  resolve(name: string): { model: string; note?: string; why?: string };
}

/** Names that agent files can refer to: models, tools, servers and pools. Compiling and checking need them. */
export interface AgentEnvironment {
  models: ModelNames;
  /** Names and aliases of all tools. If this is absent, unknown tools are not reported. */
  toolNames?: readonly string[];
  /** Tools that declare that they change files. Default: the built-in tools that change files. */
  patches?: readonly { name: string; aliases?: readonly string[] | undefined }[];
  /** Names of the MCP servers. If this is absent, unknown servers are not reported. */
  servers?: readonly string[];
  /** Says why a model cannot reason as an agent asks. If this is absent, nothing is reported. */
  reasoningProblem?(model: string, reasoning: Reasoning): string | undefined;
  /** Names of the worker pools. If this is absent, unknown pools are not reported. */
  pools?: readonly string[];
  /** What a handoff passes on if an agent's file does not say (`handoff.pass` in cadre.yaml). */
  handoffPass?: "request+result" | "result" | undefined;
}

/** Adds a problem at the position of a Cadre key. The problem is a warning unless `severity` says otherwise. */
export type ReportProblem = (
  key: string,
  problem: Pick<Problem, "code" | "message"> & Partial<Problem>,
) => void;
