// Runs every example with the command from its README, each in a separate process. Examples 04 to 12 check themselves.
// This test also checks that the journal is right, that README and guide show the real output, and that an example's own checks can fail.

import { execFile } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LLMock } from "@copilotkit/aimock";
import { afterAll, describe, expect, test } from "vitest";
import type { CadreClient } from "../src/api/client/client.ts";
import { connect } from "../src/cli/connection/connect.ts";
import type { JournalEvent } from "../src/journal/events.ts";
import { type Expected, problemsOf } from "./shared/checks.ts";
import { ENVIRONMENT } from "./shared/environment.ts";
import { playedOf } from "./shared/play.ts";

const HERE = import.meta.dirname;
const ROOT = join(HERE, "..");
const temporary = mkdtempSync(join(tmpdir(), "cadre-examples-"));
afterAll(() => rmSync(temporary, { recursive: true }));

type Fact = (events: JournalEvent[]) => unknown;
const count = (type: JournalEvent["type"]) => (events: JournalEvent[]) =>
  events.filter((event) => event.type === type).length;
const triggers: Fact = (events) =>
  events.flatMap(({ type, payload }) => (type === "RUN_STARTED" ? [payload.trigger] : []));

/** One typical fact about the journals of each example. */
const FACTS: Record<string, { fact: Fact; is: unknown }> = {
  "01-hello": { fact: (events) => events.length, is: 4 },
  "02-approval": {
    fact: (events) =>
      events.flatMap(({ type, payload }) => (type === "APPROVAL_DECIDED" ? [payload.decision] : [])),
    is: ["approve", "reject"],
  },
  "03-delegation": { fact: count("CHILD_RUN_COMPLETED"), is: 2 },
  "04-handoff": { fact: triggers, is: ["user", "handoff"] },
  "05-router": { fact: triggers, is: ["user", "route"] },
  "06-advisors": { fact: triggers, is: ["user", "advisor", "advisor"] },
  "07-team": { fact: triggers, is: ["user", ...Array(6).fill("team")] },
  "08-best-of": { fact: triggers, is: ["user", ...Array(4).fill("best_of")] },
  "09-steps": { fact: count("STEP_YIELDED"), is: 7 },
  "10-mcp": {
    fact: (events) =>
      events.some(
        ({ type, payload }) => type === "TOOL_RESULT" && /<untrusted-/.test(String(payload.output)),
      ),
    is: true,
  },
  "11-incident": { fact: count("APPROVAL_DECIDED"), is: 3 },
  "12-company": { fact: count("RUN_COMPLETED"), is: 9 },
};

/** What the first three examples must do. They are programs as a user would write them, so they do not check themselves. */
const EXPECTED: Record<string, Expected> = {
  "01-hello": {
    tree: ["greeter, user, 1"],
    answer: { by: "greeter", says: "Hello, Ada!" },
    reads: { greeter: ["Say hello to Ada"] },
    journal: ["RUN_STARTED greeter", "MODEL_CALL_STARTED", "AGENT_THOUGHT Hello, Ada!", "RUN_COMPLETED"],
  },
  "02-approval": {
    tree: ["keeper, user, 4"],
    answer: { by: "keeper", says: "It is not live, because that was rejected." },
    reads: {},
    journal: [
      'TOOL_PROPOSED "verdict":"allow"',
      'TOOL_PROPOSED "verdict":"ask"',
      'APPROVAL_DECIDED "decision":"approve"',
      "TOOL_RESULT modified settings.json",
      'TOOL_PROPOSED "verdict":"ask"',
      'APPROVAL_DECIDED "decision":"reject"',
      "RUN_COMPLETED",
    ],
    files: { "settings.json": '"timeoutSeconds": 30', "live.json": null },
  },
  "03-delegation": {
    tree: ["release-lead, user, 2", "├─ test-reader, delegation, 2", "└─ notes-reader, delegation, 2"],
    answer: { by: "release-lead", says: "2.4 may go out" },
    reads: { "test-reader": ["What is red in tests.txt?"], "notes-reader": ["What will customers notice"] },
    misses: { "test-reader": ["customers"], "notes-reader": ["red"] },
    together: ["test-reader", "notes-reader"],
    journal: [
      "CHILD_RUN_STARTED",
      "CHILD_RUN_STARTED",
      "CHILD_RUN_COMPLETED",
      "CHILD_RUN_COMPLETED",
      "RUN_COMPLETED 2.4",
    ],
  },
};

const PUBLIC = /^(?:cadre(?:\/\w+)?|node:.+|zod|hono|@hono\/node-server|\.\/(?:model|tools)\.ts)$/;

const guide = globSync("docs/{guide,how}/*.md", { cwd: ROOT });
const NAMES = globSync("[0-9][0-9]-*", { cwd: HERE }).toSorted();

test("[S3-67] each of the twelve examples is in the list of examples, and a test checks its output", () => {
  expect(NAMES).toEqual(Object.keys(FACTS));
  const list = readFileSync(join(HERE, "README.md"), "utf8");
  for (const name of NAMES) expect(list).toContain(`| [${name}](${name}/README.md) |`);
});

test("[27.7] the first three examples and the programs of the library use only what the package exports", () => {
  const programs = globSync(["0[1-3]-*/main.ts", "{library,compare}/!(*.test).ts"], { cwd: HERE });
  expect(programs.length).toBeGreaterThan(12);
  for (const program of programs) {
    const imports = [...readFileSync(join(HERE, program), "utf8").matchAll(/ from "([^"]+)";$/gm)];
    const others = imports.map(([, name]) => name!).filter((name) => !PUBLIC.test(name));
    expect(others, program).toEqual([]);
  }
});

describe.concurrent.each(NAMES)("%s", (name) => {
  const [command, ...others] = commandsOf(name);

  test("[S3-67] the command from the README runs the example, and README and guide show its output", {
    timeout: 120_000,
  }, async () => {
    const { code, stdout, stderr } = await run(command!);
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: "" });
    const expected = EXPECTED[name];
    if (expected) expect(await problemsIn(expected, stdout)).toEqual([]);
    else expect(stdout).toContain("\nChecked.\n");
    const { fact, is } = FACTS[name]!;
    expect(fact(await journalsOf(stdout))).toEqual(is);
    const printed = new Set(normalizeOutput(stdout));
    for (const { page, block } of blocksOf(name.slice(3), [...guide, `examples/${name}/README.md`]))
      for (const line of normalizeOutput(block)) expect(printed, page).toContain(line);
  });

  test("the README has a command that runs the example with a real model", () => {
    expect(others.join("\n")).toContain(`… ${command} --model anthropic/`);
  });
});

test.each(["handoff", "router", "advisors", "best-of", "team", "company"])(
  "[S3-70] the guide shows the output of the %s example",
  (name) => {
    expect(blocksOf(name, guide)).not.toEqual([]);
  },
);

test.concurrent("the checks of an example fail if a single agent does all the work", {
  timeout: 120_000,
}, async () => {
  const script = `
    import { example } from ${JSON.stringify(join(HERE, "04-handoff/main.ts"))};
    import { main } from ${JSON.stringify(join(HERE, "shared/play.ts"))};
    await main({ ...example, agent: "assistant", expected: { ...example.expected, journal: ["CHILD_RUN_STARTED"], files: { "incident.md": "?" } } });`;
  const { code, stderr } = await exec(process.execPath, ["--input-type=module", "--eval", script]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^Not as it should be: The tree is\nassistant, user, \d\nwhere this/m);
  expect(stderr).toContain("Not as it should be: The answer does not say");
  expect(stderr).toContain('Not as it should be: The journals were to say "CHILD_RUN_STARTED"');
  expect(stderr).toMatch(/^Not as it should be: \S+incident\.md does not say/m);
});

test.concurrent("[S1-35] if the model fixes nothing, the steps example asks a person", {
  timeout: 120_000,
}, async () => {
  const helpless = commandsOf("09-steps").find((line) => line.endsWith("--model scripted/helpless"))!;
  const { code, stdout } = await run(helpless);
  expect(code).toBe(0);
  expect(stdout).toContain("The tests fail. A person takes over.");
});

test.concurrent("with --model, an example calls a model over HTTP and prints the model's answer", {
  timeout: 120_000,
}, async () => {
  const mock = new LLMock({ port: 0, strict: true, logLevel: "silent" });
  mock.addFixture({ match: { predicate: () => true }, response: { content: "Welcome, Ada." } });
  await mock.start();
  try {
    const env = { OPENAI_BASE_URL: `${mock.url}/v1`, OPENAI_API_KEY: "test" };
    const { code, stdout, stderr } = await run(`${commandsOf("01-hello")[0]!} --model openai/gpt-5`, env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("── the answer\nWelcome, Ada.\n");
    expect(stdout).toContain("MODEL_CALL_STARTED  openai/gpt-5\n");
  } finally {
    await mock.stop();
  }
});

function commandsOf(name: string): string[] {
  const text = readFileSync(join(HERE, name, "README.md"), "utf8");
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block]) => block!.trim().split("\n"));
}

function run(command: string, env: Record<string, string> = {}) {
  const [program, ...args] = command.split(" ");
  expect(program).toBe("node");
  return exec(process.execPath, args, env);
}

function exec(program: string, args: string[], env: Record<string, string> = {}) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(
      program,
      args,
      {
        cwd: ROOT,
        env: { ...process.env, TMPDIR: temporary, ...env },
        encoding: "utf8",
      },
      (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

const journalsOf = (stdout: string): Promise<JournalEvent[]> =>
  afterwards(stdout, (runId, client) => client.treeEvents(runId));

const problemsIn = (expected: Expected, stdout: string): Promise<string[]> =>
  afterwards(stdout, async (runId, client, folder) =>
    problemsOf(expected, await playedOf(runId, client), folder),
  );

/** Opens the folder that an example has left behind. The example's output ends with a command that names the run and the folder. */
async function afterwards<T>(
  stdout: string,
  look: (runId: string, client: CadreClient, folder: string) => Promise<T>,
): Promise<T> {
  const [, runId = "", folder = ""] = /cadre show (\S+) -C (\S+)/.exec(stdout)!;
  const { client, close } = await connect({ folder, io: { env: ENVIRONMENT }, drive: false });
  try {
    return await look(runId, client, folder);
  } finally {
    await close();
  }
}

/** Finds the blocks on these pages that show the output of an example. */
function blocksOf(name: string, pages: readonly string[]): { page: string; block: string }[] {
  return pages.flatMap((page) =>
    [...readFileSync(join(ROOT, page), "utf8").matchAll(/^```text (\S+)\n(.*?)^```$/gms)]
      .filter(([, of]) => of === name)
      .map(([, , block]) => ({ page, block: block! })),
  );
}

/** Removes the parts that differ from run to run: ids, times, and event numbers that depend on which child ends first. */
function normalizeOutput(text: string): string[] {
  return text
    .replaceAll(/\b[rc][0-9a-z]{21}\b/g, "<run>")
    .replaceAll(/untrusted-[0-9a-z]{16}/g, "untrusted-<nonce>")
    .replaceAll(/\b[\d.]+ m?s\b/g, "<time>")
    .replaceAll(/^ *\d+(?= {2}[A-Z_]+( |$))/gm, "")
    .split("\n")
    .map((line) => line.replaceAll(/ +/g, " ").trim())
    .filter((line) => line !== "" && line !== "…");
}
