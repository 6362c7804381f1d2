// Defines an agent in a program's code. It has the same keys and checks as an agent file.

import type { z } from "zod";
import type { AGENT_KEYS } from "./frontmatter.ts";

type Keys = { [Key in keyof typeof AGENT_KEYS]?: z.input<(typeof AGENT_KEYS)[Key]> };

/** A schema can be the name of a file in the project. `steps` is excluded, because it needs a module next to an agent file. */
export interface AgentInCode extends Omit<Keys, "name" | "steps" | "dialect"> {
  name: string;
  /** The prompt. In an agent file, it is the body. */
  prompt: string;
}

export function defineAgent(agent: AgentInCode): AgentInCode {
  return agent;
}
