// Names of agents.

const MAX_NAME = 200;

/** Normalizes names of agents and references to them: `Code Reviewer` becomes `code-reviewer`. */
export function agentId(name: string): string {
  return name
    .trim()
    .slice(0, MAX_NAME)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_./-]+/gu, "-")
    .replace(/^[-./]+|[-./]+$/g, "");
}

/** An agent's name without its pack: `planner` for `factory/planner`. */
export const baseName = (agent: string): string => agent.replace(/^.*\//, "");
