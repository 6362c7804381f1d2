// An agent's to-do list, in the form that its tool accepts.

import { z } from "zod";

export const Todo = z.object({
  content: z.string().trim().min(1).max(500).describe("What is to do: Write the test"),
  status: z.enum(["pending", "in_progress", "completed"]),
  activeForm: z.string().trim().min(1).max(500).optional().describe("While it is done: writing the test"),
});
export type Todo = z.infer<typeof Todo>;

export const Todos = z.array(Todo).max(100);
