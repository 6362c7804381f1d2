// An agent as lists show it, and what is wrong with its file.

import { z } from "zod";
import { EDGE_KEYS } from "../patterns/declarations/facts.ts";

export const ProblemView = z.object({
  file: z.string(),
  line: z.int(),
  column: z.int(),
  code: z.string(),
  severity: z.enum(["error", "warning"]),
  message: z.string(),
  suggestion: z.string().exactOptional(),
});

export const AgentView = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string(),
  /** Absent: the file is broken, and the problems say why. */
  kind: z.enum(["main", "subagent"]).optional(),
  /** Its badge, as its file says. */
  icon: z.string().optional(),
  color: z.string().optional(),
  models: z.array(z.string()),
  file: z.string(),
  problems: z.array(ProblemView),
  /** Where it was found; nearer wins. */
  scope: z.enum(["project", "user", "builtin"]),
  /** The product that its file was written for. */
  dialect: z.string(),
  /** Whom it can start, by the key of its file that says so. */
  edges: z.array(z.object({ key: z.enum(EDGE_KEYS), to: z.string() })),
  /** Its own words are the answer. */
  isTerminal: z.boolean(),
  /** It may call only tools that change nothing. */
  readOnly: z.boolean(),
  /** A module beside its file controls it. */
  steps: z.boolean(),
});
export type AgentView = z.infer<typeof AgentView>;
