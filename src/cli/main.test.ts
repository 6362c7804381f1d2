// What the command line reads out of what people type.

import { expect, test } from "vitest";
import type { ApprovalView } from "../api/schema.ts";
import { parseBudget } from "./ask.ts";
import { parseWords } from "./choose-agent.ts";
import { findItem } from "./find-item.ts";
import { main } from "./main.ts";
import { worst } from "./say-rest.ts";

test("words are an agent and a task, a task, or nothing", () => {
  expect(parseWords([])).toBeUndefined();
  expect(parseWords(["do it"])).toEqual({ task: "do it" });
  expect(parseWords(["coder", "do it"])).toEqual({ agent: "coder", task: "do it" });
  expect(() => parseWords(["do", "it", "now"])).toThrow("in quotes");
});

test("a budget is tokens or dollars", () => {
  expect(parseBudget("200_000")).toEqual({ maxTokens: 200_000 });
  expect(parseBudget(" $2.50 ")).toEqual({ maxCost: 2.5 });
  for (const wrong of ["", "0", "2.5", "$", "many", "-1"])
    expect(() => parseBudget(wrong)).toThrow("no budget");
});

test("an item is found by the beginning of its id, if no other begins so", () => {
  const open = ["r1abc:m1.0", "r1abc:m1.1", "r2abc:m1.0"].map((id) => ({ id }) as ApprovalView);
  expect(findItem(open, "r1abc:m1.1")).toBe(open[1]);
  expect(findItem(open, "r2")).toBe(open[2]);
  expect(findItem(open, "r9")).toBe("r9");
  expect(() => findItem(open, "r1")).toThrow("2 open items begin with r1");
});

test("of several runs the worst end counts: failed, then waiting, then cancelled", () => {
  expect(worst([0, 4, 3, 1])).toBe(1);
  expect(worst([0, 4, 3])).toBe(3);
  expect(worst([0, 4])).toBe(4);
  expect(worst([])).toBe(0);
});

test("help names every verb", async () => {
  const pieces: string[] = [];
  const stdout = { write: (text: string) => pieces.push(text) } as unknown as NodeJS.WriteStream;
  const io = { stdin: process.stdin, stdout, stderr: stdout, env: {}, cwd: "/" };
  expect(await main(["--help"], io)).toBe(0);
  const verbs = [...pieces.join("").matchAll(/^ {2}([a-z]+) .*$/gm)].map(([, verb]) => verb);
  expect(verbs.join(" ")).toMatchInlineSnapshot(
    `"run runs show tail verify approve reject outcome cancel message pause resume agents doctor trust demo"`,
  );
});
