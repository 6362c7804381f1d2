// The agent's to-do list. The tool stores nothing, because the call is in the journal and its input is the list.

import { z } from "zod";
import { Todos } from "../journal/todo.ts";
import { summarizeTodos, TODO_WRITE } from "../projections/folds/todos.ts";
import { defineTool } from "./tool.ts";

export const todoWriteTool = defineTool({
  name: TODO_WRITE,
  description:
    "Keeps your list of what is to do, which people see while you work. Hand in the whole list each time; one entry at a time is in_progress.",
  input: z.strictObject({ todos: Todos.describe("The whole list, in its order") }),
  effect: "read",
  reaches: [],
  aliases: ["todo_write", "write_todos"],

  async execute({ todos }) {
    return { output: todos.length === 0 ? "The list is empty." : `Noted: ${summarizeTodos(todos)}.` };
  },
});
