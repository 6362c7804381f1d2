// What the command line reads out of what people type.

import { expect, test } from "vitest";
import { createClient, isUnreachable } from "../api/client.ts";
import type { ApprovalView } from "../api/schema.ts";
import { parseBudget } from "./ask.ts";
import { parseWords } from "./choose-agent.ts";
import { findItem } from "./find-item.ts";
import { main } from "./main.ts";
import { beginOrder } from "./order.ts";
import { worst } from "./say-rest.ts";

test("words are an agent and a task, a task, or nothing", () => {
  expect(parseWords([])).toBeUndefined();
  expect(parseWords(["do it"])).toEqual({ task: "do it" });
  expect(parseWords(["coder", "do it"])).toEqual({ agent: "coder", task: "do it" });
  expect(() => parseWords(["do", "it", "now"])).toThrow("in quotes");
  for (const empty of [[""], [" "], ["coder", ""]])
    expect(() => parseWords(empty)).toThrow("A run needs a task: ");
});

test("a budget is tokens or dollars", () => {
  expect(parseBudget("200_000")).toEqual({ maxTokens: 200_000 });
  expect(parseBudget(" $2.50 ")).toEqual({ maxCost: 2.5 });
  for (const wrong of ["", "0", "2.5", "$", "many", "-1"])
    expect(() => parseBudget(wrong)).toThrow("no budget");
});

test("an item is found by the beginning of its id, if no other begins so", () => {
  const open = ["r1abc:m1.0", "r1abc:m1.1", "r2abc:m1.0"].map((id) => {
    const [runId, itemId] = id.split(":");
    return { id, runId, itemId } as ApprovalView;
  });
  expect(findItem(open, "r1abc:m1.1")).toBe(open[1]);
  expect(findItem(open, "r2")).toBe(open[2]);
  expect(findItem(open, "r1a:m1.1")).toBe(open[1]);
  expect(findItem(open, "r9")).toBe("r9");
  expect(() => findItem(open, "r:m1.0")).toThrow("2 open items begin with r:m1.0");
  expect(() => findItem(open, "r1")).toThrow("2 open items begin with r1");
});

test("a retry whose answer was lost is not asked for again by itself: it could start a second run", async () => {
  let asked = 0;
  const client = createClient({
    fetch: async () => {
      asked++;
      throw new Error("socket hang up");
    },
  });
  const begun = beginOrder(client, { type: "retry", runId: "r1" }, false, "key");
  const error: unknown = await begun.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "CONFLICT", message: expect.stringContaining("`cadre runs` shows") });
  expect([isUnreachable(error), asked]).toEqual([false, 1]);
});

test("of several runs the worst end counts: failed, then waiting, then cancelled", () => {
  expect(worst([0, 4, 3, 1])).toBe(1);
  expect(worst([0, 4, 3])).toBe(3);
  expect(worst([0, 4])).toBe(4);
  expect(worst([])).toBe(0);
});

async function said(...args: string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const into = (pieces: string[]) =>
    ({ write: (text: string) => pieces.push(text) }) as unknown as NodeJS.WriteStream;
  const io = { stdin: process.stdin, stdout: into(out), stderr: into(err), env: {}, cwd: "/" };
  return { code: await main(args, io), stdout: out.join(""), stderr: err.join("") };
}

test("a verb's help is had in two ways; a verb that is none is said", async () => {
  const help = await said("help", "retry");
  expect(help).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Usage: cadre retry [options] <run>"),
  });
  expect(await said("retry", "--help")).toEqual(help);
  expect(await said("help")).toEqual(await said("--help"));
  const unknown = { code: 2, stdout: "", stderr: "cadre: Unknown command 'rnu'. See cadre --help.\n" };
  expect(await said("help", "rnu")).toEqual(unknown);
  expect(await said("help", "agents", "validate")).toEqual(await said("agents", "validate", "--help"));
  const below = {
    code: 2,
    stdout: "",
    stderr: "cadre: Unknown command 'agents vet'. See cadre agents --help.\n",
  };
  expect(await said("help", "agents", "vet")).toEqual(below);
  const near = { ...below, stderr: "cadre: Unknown command 'agents explian'. Did you mean explain?\n" };
  expect(await said("agents", "explian", "x")).toEqual(near);
  const far = { ...below, stderr: "cadre: Unknown command 'agents zzzzzz'. See cadre agents --help.\n" };
  expect(await said("agents", "zzzzzz")).toEqual(far);
});

test("--json: a command that was typed wrong is a line of JSON too", async () => {
  const { code, stdout, stderr } = await said("runs", "--statsu", "x", "--json");
  expect(code).toBe(2);
  const message = "Unknown option '--statsu'. Did you mean --status?";
  expect(JSON.parse(stdout)).toEqual({ error: { code: "USAGE", message } });
  expect(stderr).toBe(`cadre: ${message}\n`);
});

test("help names every verb", async () => {
  const { code, stdout } = await said("--help");
  expect(code).toBe(0);
  const verbs = [...stdout.matchAll(/^ {2}([a-z]+) .*$/gm)].map(([, verb]) => verb);
  expect(verbs.join(" ")).toMatchInlineSnapshot(
    `"run retry runs show tail why usage fork compare eval verify replay export import approve reject permissions outcome cancel message pause resume budget freeze thaw agents up mcp acp worker workers init doctor prune trust servers demo users webhooks help"`,
  );
});
