// An agent that a program defines in its code. It has the same keys and checks as an agent file.

import type { z } from "zod";
import type { AGENT_KEYS } from "./frontmatter.ts";
import type { StepsMain } from "./loaded-steps.ts";

type Keys = { [Key in keyof typeof AGENT_KEYS]?: z.input<(typeof AGENT_KEYS)[Key]> };

/** A schema can be the name of a file in the project. */
export interface AgentInCode extends Omit<Keys, "name" | "steps" | "dialect"> {
  name: string;
  /** The prompt. In an agent file, it is the body. */
  prompt: string;
  /** A generator that controls the agent. In an agent file, it is in a module next to the file. */
  steps?: StepsMain;
}
