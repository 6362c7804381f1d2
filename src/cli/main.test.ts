// Tests how the command line is parsed.

import { Command } from "commander";
import { expect, test } from "vitest";
import { createClient, isUnreachable } from "../api/client/client.ts";
import type { ApprovalView } from "../api/client/types.ts";
import { parseBudget } from "./follow/ask-person.ts";
import { worstExitCode } from "./follow/report-result.ts";
import { parseTaskArguments, submitRequest } from "./follow/start-request.ts";
import { findApproval } from "./lookup/approvals.ts";
import { main } from "./main.ts";
import { describeArguments } from "./syntax/arguments.ts";
import { addCommands } from "./syntax/index.ts";

test("the arguments of `cadre run` are an agent and a task, only a task, or nothing", () => {
  expect(parseTaskArguments([])).toBeUndefined();
  expect(parseTaskArguments(["do it"])).toEqual({ task: "do it" });
  expect(parseTaskArguments(["coder", "do it"])).toEqual({ agent: "coder", task: "do it" });
  expect(() => parseTaskArguments(["do", "it", "now"])).toThrow("in quotes");
  for (const empty of [[""], [" "], ["coder", ""]])
    expect(() => parseTaskArguments(empty)).toThrow("A run needs a task: ");
});

test("a budget has a unit: dollars or tokens", () => {
  expect(parseBudget("200_000 tokens")).toEqual({ maxTokens: 200_000 });
  expect(parseBudget(" $2.50 ")).toEqual({ maxCost: 2.5 });
  for (const wrong of ["", "0", "2.5", "$", "many", "-1"])
    expect(() => parseBudget(wrong)).toThrow("not a budget");
});

test("the beginning of an id is enough to find an open item, if no other id begins the same way", () => {
  const open = ["r1abc:m1.0", "r1abc:m1.1", "r2abc:m1.0"].map((id) => {
    const [runId, itemId] = id.split(":");
    return { id, runId, itemId } as ApprovalView;
  });
  expect(findApproval(open, "r1abc:m1.1")).toBe(open[1]);
  expect(findApproval(open, "r2")).toBe(open[2]);
  expect(findApproval(open, "r1a:m1.1")).toBe(open[1]);
  expect(findApproval(open, "r9")).toBe("r9");
  expect(() => findApproval(open, "r:m1.0")).toThrow("2 open items begin with r:m1.0");
  expect(() => findApproval(open, "r1")).toThrow("2 open items begin with r1");
});

test("a retry sends an idempotency key, so that repeating the request starts no second run", async () => {
  const keys: (string | null)[] = [];
  const client = createClient({
    fetch: async (_, init) => {
      keys.push(new Headers(init?.headers).get("Idempotency-Key"));
      throw new Error("socket hang up");
    },
  });
  const begin = () => submitRequest(client, { type: "retry", runId: "r1" }, false, "key");
  for (let times = 0; times < 2; times++)
    expect(isUnreachable(await begin().catch((error: unknown) => error))).toBe(true);
  expect(keys).toEqual(["key", "key"]);
});

test("the exit code of several runs is the worst of their codes: failed, then waiting, then cancelled", () => {
  expect(worstExitCode([0, 4, 3, 1])).toBe(1);
  expect(worstExitCode([0, 4, 3])).toBe(3);
  expect(worstExitCode([0, 4])).toBe(4);
  expect(worstExitCode([])).toBe(0);
});

const runCli = (...args: string[]) => runCliAs("cadre", ...args);

async function runCliAs(launcher: string, ...args: string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const into = (pieces: string[]) =>
    ({ write: (text: string) => pieces.push(text) }) as unknown as NodeJS.WriteStream;
  const io = { stdin: process.stdin, stdout: into(out), stderr: into(err), env: {}, cwd: "/", launcher };
  return { code: await main(args, io), stdout: out.join(""), stderr: err.join("") };
}

test("`help NAME` and `NAME --help` print the same help; an unknown command is an error", async () => {
  const help = await runCli("help", "retry");
  expect(help).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Usage: cadre retry [options] <run>"),
  });
  expect(await runCli("retry", "--help")).toEqual(help);
  expect(await runCli("help")).toEqual(await runCli("--help"));
  const unknown = { code: 2, stdout: "", stderr: "cadre: Unknown command 'rnu'. See cadre --help.\n" };
  expect(await runCli("help", "rnu")).toEqual(unknown);
  expect(await runCli("help", "agents", "validate")).toEqual(await runCli("agents", "validate", "--help"));
  const below = {
    code: 2,
    stdout: "",
    stderr: "cadre: Unknown command 'agents vet'. See cadre agents --help.\n",
  };
  expect(await runCli("help", "agents", "vet")).toEqual(below);
  const near = { ...below, stderr: "cadre: Unknown command 'agents explian'. Did you mean explain?\n" };
  expect(await runCli("agents", "explian", "x")).toEqual(near);
  const far = { ...below, stderr: "cadre: Unknown command 'agents zzzzzz'. See cadre agents --help.\n" };
  expect(await runCli("agents", "zzzzzz")).toEqual(far);
});

test("with --json a usage error is printed as a line of JSON", async () => {
  const { code, stdout, stderr } = await runCli("runs", "--statsu", "x", "--json");
  expect(code).toBe(2);
  const message = "Unknown option '--statsu'. Did you mean --status?";
  expect(JSON.parse(stdout)).toEqual({ error: { code: "USAGE", message } });
  expect(stderr).toBe(`cadre: ${message}\n`);
});

test("every argument has a description, which is shown in help and in the error for a missing argument", () => {
  const program = new Command("cadre");
  addCommands(program, () => async () => {});
  describeArguments(program);
  const below = ({ commands }: Command): Command[] => commands.flatMap((verb) => [verb, ...below(verb)]);
  for (const verb of below(program))
    for (const argument of verb.registeredArguments)
      expect(argument.description, `${verb.name()} ${argument.name()}`).not.toBe("");
});

test("hints and usage begin with the command that the person used to start Cadre", async () => {
  const { code, stdout, stderr } = await runCliAs("npx cadre", "show");
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toBe(
    "cadre: show needs <run>: a run's id, or the beginning of it (`npx cadre runs` lists them). See npx cadre help show.\n",
  );
});

test("help lists every command", async () => {
  const { code, stdout } = await runCli("--help");
  expect(code).toBe(0);
  const verbs = [...stdout.matchAll(/^ {2}([a-z]+) .*$/gm)].map(([, verb]) => verb);
  expect(verbs.join(" ")).toMatchInlineSnapshot(
    `"init demo chat run retry fork runs show tail why usage compare approve reject outcome permissions message pause resume cancel undo budget freeze thaw agents eval replay up worker workers mcp acp verify export import prune doctor trust servers users webhooks schedules triggers completion help"`,
  );
});
