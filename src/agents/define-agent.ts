// An agent that a program defines in code: the same keys and the same checks as an agent's file.

import type { z } from "zod";
import type { AGENT_KEYS } from "./frontmatter.ts";

type Keys = { [Key in keyof typeof AGENT_KEYS]?: z.input<(typeof AGENT_KEYS)[Key]> };

/** Schemas may be files of the project. `steps` needs a module beside a file, so an agent in code cannot have it. */
export interface AgentInCode extends Omit<Keys, "name" | "steps" | "dialect"> {
  name: string;
  /** The body of an agent's file. */
  prompt: string;
}

export function defineAgent(agent: AgentInCode): AgentInCode {
  return agent;
}
