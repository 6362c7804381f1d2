// An agent's to-do list, which only people see. The latest accepted list is the current one.

import type { Todo } from "../../journal/todo.ts";

export type { Todo };

export const TODO_WRITE = "TodoWrite";

/** The list in a TodoWrite call. Undefined if it is not valid. It is parsed by hand, because the page must not load zod. */
export function parseTodos(tool: string, input: unknown): Todo[] | undefined {
  if (tool !== TODO_WRITE) return undefined;
  const items = (input as { todos?: unknown } | null | undefined)?.todos;
  if (!Array.isArray(items) || items.length > 100) return undefined;
  const todos = items.flatMap((each: unknown) => todoIn(each) ?? []);
  return todos.length === items.length ? todos : undefined;
}

function todoIn(value: unknown): Todo | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { content, status, activeForm } = value as { [key in keyof Todo]?: unknown };
  if (!isLine(content) || !isStatus(status)) return undefined;
  const todo = { content: content.trim(), status };
  if (activeForm === undefined) return todo;
  return isLine(activeForm) ? { ...todo, activeForm: activeForm.trim() } : undefined;
}

const isLine = (value: unknown): value is string =>
  typeof value === "string" && value.trim() !== "" && value.trim().length <= 500;

const STATUSES: readonly unknown[] = ["pending", "in_progress", "completed"] satisfies Todo["status"][];
const isStatus = (value: unknown): value is Todo["status"] => STATUSES.includes(value);

/** The progress in one line: `2 of 5 done: writing the test`. */
export function summarizeTodos(todos: readonly Todo[]): string {
  const done = todos.filter(({ status }) => status === "completed").length;
  const current = todos.find(({ status }) => status === "in_progress");
  const now = current ? `: ${current.activeForm ?? current.content}` : "";
  return `${done} of ${todos.length} done${now}`;
}
