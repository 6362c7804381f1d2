// An agent that a program has in its code and not in a file: the same keys, held to the same checks.

import type { z } from "zod";
import type { AGENT_KEYS } from "./frontmatter.ts";

type Keys = { [Key in keyof typeof AGENT_KEYS]?: z.input<(typeof AGENT_KEYS)[Key]> };

/** Its schemas may lie in files of the project; what controls it, `steps`, belongs to an agent that is a file. */
export interface AgentInCode extends Omit<Keys, "name" | "steps" | "dialect"> {
  name: string;
  /** What stands below the keys in a file. */
  prompt: string;
}

export function defineAgent(agent: AgentInCode): AgentInCode {
  return agent;
}
