// What results say about the work beside their words: the tests that were counted, and the list of what is to do.

import { type TestCounts, testCounts } from "./folds/test-counts.ts";
import { parseTodos, type Todo } from "./folds/todos.ts";
import { effectiveInput, type ToolCall } from "./folds/tool-call.ts";

export interface ResultFacts {
  /** Of the latest run of a test runner, here or below. */
  tests: TestCounts | undefined;
  /** The latest list of what is to do. */
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
