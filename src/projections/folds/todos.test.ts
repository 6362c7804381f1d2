import fc from "fast-check";
import { expect, test } from "vitest";
import { Todos } from "../../journal/todo.ts";
import { parseTodos, TODO_WRITE } from "./todos.ts";

const line = fc.oneof(
  fc.string(),
  fc.constantFrom("  a  ", " ", "", "x".repeat(500), "x".repeat(501), null, 1),
);
const entry = fc.record(
  {
    content: line,
    status: fc.constantFrom("pending", "in_progress", "completed", "done", "", null),
    activeForm: line,
    more: fc.anything(),
  },
  { requiredKeys: [] },
);
const list = fc.oneof(
  fc.array(fc.oneof({ weight: 5, arbitrary: entry }, { weight: 1, arbitrary: fc.anything() })),
  fc.anything(),
);

test("the parser accepts the same to-do lists as the tool", () => {
  fc.assert(
    fc.property(list, (todos) => {
      const { data } = Todos.safeParse(todos);
      expect(parseTodos(TODO_WRITE, { todos })).toEqual(data);
      expect(parseTodos("Write", { todos })).toBeUndefined();
    }),
    { numRuns: 300 },
  );
  const todo = { content: " Write the test ", status: "pending" };
  const lists = [0, 1, 100, 101].map((length) => Array.from({ length }, () => todo));
  const long = [500, 501].flatMap((length) => {
    const text = "x".repeat(length);
    return [[{ ...todo, content: text }], [{ ...todo, activeForm: text }]];
  });
  for (const todos of [...lists, ...long])
    expect(parseTodos(TODO_WRITE, { todos })).toEqual(Todos.safeParse(todos).data);
});
