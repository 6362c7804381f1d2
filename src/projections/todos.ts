// An agent's own list of what is to do. It has no effect but to be seen: the latest list that was taken is the run's.

import { z } from "zod";

export const TODO_WRITE = "TodoWrite";

export const Todo = z.object({
  content: z.string().trim().min(1).max(500).describe("What is to do: Write the test"),
  status: z.enum(["pending", "in_progress", "completed"]),
  activeForm: z.string().trim().min(1).max(500).optional().describe("While it is done: writing the test"),
});
export type Todo = z.infer<typeof Todo>;

export const Todos = z.array(Todo).max(100);

/** The list that a call hands in; undefined where it is none. */
export function todosIn(tool: string, input: unknown): Todo[] | undefined {
  if (tool !== TODO_WRITE) return undefined;
  return Todos.safeParse((input as { todos?: unknown } | null)?.todos).data;
}

/** In one line: `2 of 5 done: writing the test`. */
export function todosLine(todos: readonly Todo[]): string {
  const done = todos.filter(({ status }) => status === "completed").length;
  const current = todos.find(({ status }) => status === "in_progress");
  const now = current ? `: ${current.activeForm ?? current.content}` : "";
  return `${done} of ${todos.length} done${now}`;
}
