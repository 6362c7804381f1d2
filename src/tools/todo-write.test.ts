import { expect, it } from "vitest";
import { tempWorkspace } from "./temp-workspace.fixture.ts";
import { todoWriteTool } from "./todo-write.ts";

const todo = (content: string, status: "pending" | "in_progress" | "completed") => ({ content, status });

it("[S1-28] TodoWrite answers with one line that sums up the list", async () => {
  await using folder = await tempWorkspace();
  const write = (...todos: ReturnType<typeof todo>[]) => todoWriteTool.execute({ todos }, folder.context());
  expect(await write()).toEqual({ output: "The list is empty." });
  expect(await write(todo("read", "completed"), todo("write the test", "in_progress"))).toEqual({
    output: "Noted: 1 of 2 done: write the test.",
  });
});

it.each([
  ["no list", {}],
  ["an empty entry", { todos: [todo("  ", "pending")] }],
  ["an unknown status", { todos: [{ content: "read", status: "done" }] }],
  ["more than 100 entries", { todos: Array.from({ length: 101 }, () => todo("read", "pending")) }],
])("TodoWrite refuses input with %s", (_, input) => {
  expect(todoWriteTool.input.safeParse(input).success).toBe(false);
});
