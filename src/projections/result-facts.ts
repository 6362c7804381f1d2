// Facts taken from tool results: test counts and the to-do list.

import { type TestCounts, testCounts } from "./folds/test-counts.ts";
import { parseTodos, type Todo } from "./folds/todos.ts";
import { effectiveInput, type ToolCall } from "./folds/tool-call.ts";

export interface ResultFacts {
  /** From the latest test run, here or in a child. */
  tests: TestCounts | undefined;
  /** The latest to-do list. */
  todos: Todo[];
}

export function recordFacts(
  facts: ResultFacts,
  call: ToolCall,
  { outcome, output }: NonNullable<ToolCall["result"]>,
): void {
  if (call.name === "Bash" && typeof output === "string") facts.tests = testCounts(output) ?? facts.tests;
  if (outcome !== "ok") return;
  facts.todos = parseTodos(call.proposal?.name ?? "", effectiveInput(call)) ?? facts.todos;
}
