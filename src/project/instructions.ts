// Finds the instructions for a project's agents, decides whether they are trusted, and masks their secrets.

import {
  type FoundInstructions,
  type InstructionPlaces,
  type InstructionText,
  readInstructions,
  readNestedInstructions,
} from "../agents/instructions/read-instructions.ts";
import type { Config } from "../config/config.ts";
import { type Env, userFolder } from "../config/trust.ts";
import type { Definition, InstructionFile } from "../journal/definition.ts";
import type { Mask } from "../journal/masking/mask.ts";
import { createJudge } from "../permissions/judge.ts";
import type { SourcedRules } from "../permissions/permission.ts";
import { inspectPath } from "../tools/files/workspace-path.ts";
import { readTool } from "../tools/read.ts";

export interface ProjectInstructions {
  /** The instruction files that an agent would get now, and the problems of files that were left out. */
  find(definition: Pick<Definition, "instructions" | "runner">): Promise<FoundInstructions>;
  /** Returns the definition with the instructions for a run. Instructions that are already in the definition are kept. */
  pin(definition: Definition): Promise<Definition>;
  /** The instructions in the folders above a file of the workspace. */
  nested(path: string, workspace: string): Promise<InstructionFile[]>;
}

export interface InstructionParts {
  config: Pick<Config, "folder" | "trusted" | "instructions">;
  /** Rules of the project and of the user. */
  authority: readonly SourcedRules[];
  env: Env;
  home: string;
  mask: Pick<Mask, "value">;
  nonce(): string;
}

export function projectInstructions({
  config,
  authority,
  env,
  home,
  mask,
  nonce,
}: InstructionParts): ProjectInstructions {
  const { folder, trusted } = config;
  const own = { home, userFolder: userFolder({ HOME: home, ...env }), trusted };
  const pinned = ({ file, text }: InstructionText): InstructionFile =>
    mask.value({ file, text, ...(isOwn(file) || trusted ? {} : { nonce: nonce() }) });
  const find: ProjectInstructions["find"] = async ({ instructions = config.instructions, runner }) => {
    // An external program reads the instruction files itself.
    if (instructions === false || runner !== undefined) return { files: [], problems: [] };
    const names = Array.isArray(instructions) ? instructions : undefined;
    return readInstructions({ ...own, folder, mayRead: judgeReading(authority, folder) }, names);
  };
  return {
    find,
    async pin(definition) {
      if (definition.instructionFiles !== undefined) return definition;
      const { files } = await find(definition);
      return files.length === 0 ? definition : { ...definition, instructionFiles: files.map(pinned) };
    },
    async nested(path, workspace) {
      const mayRead = judgeReading(authority, workspace);
      const places: InstructionPlaces = { ...own, folder: workspace, mayRead };
      return (await readNestedInstructions(places, path)).files.map(pinned);
    },
  };
}

/** The user's own files have a path outside the project: `~/…`, or an absolute path. */
const isOwn = (file: string): boolean => file.startsWith("~/") || file.startsWith("/");

/** Whether the rules let an agent read a file. No person can be asked at this point, so an ask rule also keeps the file out. */
function judgeReading(authority: readonly SourcedRules[], workspace: string): (path: string) => boolean {
  const judge = createJudge(() => readTool);
  return (path) => {
    const { verdict } = judge({
      ...{ tool: readTool.name, input: { path }, effect: "read" },
      gate: { ask: [], deny: [] },
      ancestors: [],
      authority,
      ...{ grants: [], forked: false, workspace },
      ...{ now: 0, inspectPath },
    });
    return verdict === "allow";
  };
}
