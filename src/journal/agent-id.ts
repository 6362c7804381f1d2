// Names of agents.

const MAX_NAME = 200;

/** One spelling for names of agents and for references to them: `Code Reviewer` is `code-reviewer`. */
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
