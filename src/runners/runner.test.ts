import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import {
  delegate,
  familyOf,
  payloadsOf,
  roles,
  scenario,
  turns,
  typesOf,
} from "../../test/support/scenario.ts";
import type { World, WorldOptions } from "../../test/support/world.ts";
import { cancelRun, decideApproval, decideOutcome } from "../loop/commands/person-commands.ts";
import { type ApprovalItem, openItems } from "../projections/folds/approvals.ts";
import { trySandbox } from "../tools/sandbox/find-sandbox.ts";

const ROOT = join(import.meta.dirname, "../..");
const AGENT = join(ROOT, "test/support/acp-agent.ts");

/** Front matter of an agent that runs as the scripted program. */
const runner = (more = "", env = ""): string =>
  `runner: {acp: {command: "${process.execPath}", args: ["${AGENT}"], env: {${env}}${more}}}`;

const options = (more: Partial<WorldOptions> = {}): WorldOptions => ({
  script: turns(),
  agent: runner(),
  config: "sandbox: none\n",
  ...more,
});

/** A task that lists the program's actions, one per line. */
const script = (...lines: string[]): string => `SCRIPT\n${lines.join("\n")}`;

/** Waits until the program's log contains this text. */
async function waitForLog(world: World, words: string): Promise<string> {
  const file = join(world.folder, "acp.log");
  await vi.waitFor(() => expect(existsSync(file) && readFileSync(file, "utf8")).toContain(words), 30_000);
  return readFileSync(file, "utf8");
}

const pidsIn = (log: string): number[] =>
  [...log.matchAll(/^(?:new \S+|child|waiting|hanging|load \S+) (\d+)/gm)].map(([, pid]) => Number(pid));

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** Simulates a crash: ends the process and gives work in progress no time to finish. */
function crash(world: World): void {
  world.runtime.parts.drainMs = 0;
  world.die();
}

const nextItem = (world: World, runId: string): Promise<ApprovalItem> =>
  vi.waitFor(async () => {
    const [item] = openItems(await world.state(runId));
    expect(item).toBeDefined();
    return item!;
  }, 30_000);

const logOf = ({ folder }: World): string => readFileSync(join(folder, "acp.log"), "utf8");

scenario(
  "[RN1] the journal of a program's run contains its process, its messages and its cost",
  options(),
  async (world) => {
    const runId = await world.run(
      script("say I look first.", "run read a.txt", "cost 0.25", "say All is well."),
    );
    const { end } = await world.settled(runId);
    expect(end).toMatchObject({ status: "completed", summary: "All is well." });
    const events = await world.events(runId);
    expect(typesOf(events)).toEqual([
      "RUN_STARTED",
      "MODEL_CALL_STARTED",
      "RUNNER_STARTED",
      "RUNNER_SAID",
      "TOOL_PROPOSED",
      "TOOL_STARTED",
      "TOOL_RESULT",
      "AGENT_THOUGHT",
      "RUN_COMPLETED",
    ]);
    expect(payloadsOf(events, "RUNNER_STARTED")).toMatchObject([
      { sandbox: "none", pid: expect.any(Number), session: expect.stringMatching(/^s\d+/), mode: "ask" },
    ]);
    expect(payloadsOf(events, "AGENT_THOUGHT")).toMatchObject([{ cost: 0.25, finish: "end_turn" }]);
    expect(logOf(world)).toContain("You test.");
  },
);

scenario(
  "[RN2] rules answer a program's permission requests: each answer covers one call, never all future calls",
  options({
    config:
      'sandbox: none\npermissions: {allow: ["Bash(touch *)"], deny: ["Bash(rm *)", "Edit(secret/**)"]}\n',
  }),
  async (world) => {
    const runId = await world.run(
      script(
        "ask execute touch x",
        "ask execute rm -rf x",
        "ask edit secret/a",
        "ask-always execute touch y",
        "say Done.",
      ),
    );
    await world.settled(runId);
    expect(logOf(world).match(/^answer .*|^did .*/gm)).toEqual([
      "answer touch x a2",
      "did touch x",
      "answer rm -rf x r1",
      "answer secret/a r1",
      "answer touch y cancelled",
    ]);
    const events = await world.events(runId);
    expect(
      payloadsOf(events, "TOOL_PROPOSED").map(({ name, verdict, rule }) => [name, verdict, rule]),
    ).toEqual([
      ["Bash", "allow", "project allow Bash(touch *)"],
      ["Bash", "deny", "project deny Bash(rm *)"],
      ["Edit", "deny", "project deny Edit(secret/**)"],
      ["Bash", "deny", expect.stringContaining("one time only")],
    ]);
    expect(payloadsOf(events, "TOOL_RESULT").map(({ outcome = "ok" }) => outcome)).toEqual([
      "ok",
      "denied",
      "denied",
      "denied",
    ]);
  },
);

scenario(
  "[RN3] a program in a child run asks a person for approval, waits, and continues with the decision",
  options({
    agent: "agents: [coder]",
    cast: { coder: runner() },
    script: roles({
      tester: turns({
        calls: [delegate("coder", script("ask edit a.txt", "ask other odd", "say Changed it."))],
      }),
    }),
  }),
  async (world) => {
    const runId = await world.run("go");
    await world.settled(runId);
    const child = (await familyOf(world, runId))[1]!;
    const [item] = openItems(await world.state(child.id));
    expect(item).toMatchObject({
      tool: "Edit",
      input: { path: "a.txt" },
      preview: expect.stringContaining("+new"),
    });
    await expect(
      decideApproval(item!.id, { decision: "edit", input: { path: "b" } }, "sam", world.runtime.people),
    ).rejects.toThrow("not changed");
    await decideApproval(item!.id, { decision: "approve" }, "sam", world.runtime.people);
    await world.seen(child.id, "TOOL_RESULT");
    const odd = await nextItem(world, child.id);
    expect(odd).toMatchObject({ tool: "mcp__acp__other" });
    await decideApproval(odd.id, { decision: "reject", note: "no" }, "sam", world.runtime.people);
    await world.seen(child.id, "RUN_COMPLETED");
    expect(logOf(world).match(/^answer .*/gm)).toEqual(["answer a.txt a2", "answer odd r1"]);
    const [done] = payloadsOf(await world.events(child.id), "RUN_COMPLETED");
    expect(done).toMatchObject({ summary: "Changed it.", result: { files_modified: ["a.txt"] } });
    expect(logOf(world).match(/^new /gm)).toHaveLength(1);
    await world.settled(runId);
  },
);

scenario(
  "[RN4] a program's plan is recorded as the run's to-do list; odd updates do no harm",
  options(),
  async (world) => {
    const runId = await world.run(
      script("plan Write the test", "strange thing", "long 700000", "say ", "cost 1"),
    );
    const { end, todos } = await world.settled(runId);
    expect(todos).toEqual([{ content: "Write the test", status: "in_progress" }]);
    expect(end?.status).toBe("completed");
    expect(end!.summary.length).toBeGreaterThan(100_000);
    expect(payloadsOf(await world.events(runId), "TOOL_PROPOSED").map(({ name }) => name)).toEqual([
      "TodoWrite",
      "mcp__acp__other",
    ]);
  },
);

scenario(
  "[RN5] a program that makes a denied call without asking for permission is stopped",
  options({ config: 'sandbox: none\npermissions: {deny: ["Bash(rm *)"]}\n' }),
  async (world) => {
    const runId = await world.run(script("run execute rm x", "wait"));
    const { end } = await world.settled(runId);
    expect(end).toMatchObject({
      status: "failed",
      summary: expect.stringContaining("project deny Bash(rm *)"),
    });
  },
);

scenario(
  "[RN6] cancelling a run tells its program to stop; no process is left behind",
  options(),
  async (world) => {
    const runId = await world.run(script("child", "wait"));
    await waitForLog(world, "waiting");
    await cancelRun(runId, "sam", undefined, world.runtime.people);
    const { end } = await world.settled(runId);
    expect(end?.status).toBe("cancelled");
    expect(logOf(world)).toContain("cancel");
    expect(pidsIn(logOf(world)).filter(isAlive)).toEqual([]);
  },
);

scenario(
  "[RN6] a program that ignores the request to stop is killed together with every process it started",
  options(),
  async (world) => {
    const runId = await world.run(script("child", "hang"));
    await waitForLog(world, "hanging");
    await cancelRun(runId, "sam", undefined, world.runtime.people);
    await world.settled(runId);
    expect(pidsIn(logOf(world)).filter(isAlive)).toEqual([]);
  },
);

scenario(
  "[RN7] if a program dies before its answer, the run fails with a reason",
  options(),
  async (world) => {
    const runId = await world.run(script("say Well…", "die 3"));
    const { end } = await world.settled(runId);
    expect(end).toMatchObject({ status: "failed", summary: expect.stringContaining("it ended with code 3") });
  },
);

scenario(
  "[RN7] if the program does not exist, the run fails with a reason",
  options({ agent: 'runner: {acp: {command: "no-such-agent"}}' }),
  async (world) => {
    const { end } = await world.settled(await world.run("x"));
    expect(end).toMatchObject({
      status: "failed",
      summary: expect.stringContaining("there is no program no-such-agent"),
    });
  },
);

scenario(
  "[RN7] a program that reports nothing for too long is stopped",
  options({ agent: `${runner()}\nlimits: {toolTimeout: 300ms}` }),
  async (world) => {
    const runId = await world.run(script("wait"));
    const { end } = await world.settled(runId);
    expect(end).toMatchObject({ status: "failed", summary: expect.stringContaining("it was silent") });
  },
);

scenario(
  "[RN7] a program that reaches its time limit gets one more turn to report what it did",
  options({ agent: `${runner()}\nlimits: {maxDuration: 500ms}` }),
  async (world) => {
    const { end } = await world.settled(await world.run(script("wait")));
    expect(end).toMatchObject({ status: "failed", stopReason: "max_duration" });
    expect(
      logOf(world)
        .match(/^prompt .*/gm)!
        .at(-1),
    ).toContain("last turn");
  },
);

scenario(
  "[RN7] a program whose reported cost exceeds the budget is stopped in the middle of its work",
  options({ agent: `${runner()}\nlimits: {maxCost: 0.2}` }),
  async (world) => {
    const runId = await world.run(script("cost 0.25", "say Spent.", "run read a.txt", "wait"));
    const { end, usage } = await world.settled(runId);
    expect(end).toMatchObject({ status: "failed", stopReason: "budget" });
    expect(usage.cost).toBe(0.25);
    expect(payloadsOf(await world.events(runId), "LIMIT_REACHED")[0]).toMatchObject({
      limit: "maxCost",
      hard: true,
    });
  },
);

scenario(
  "[RN2] when an edit of several files is approved, the rules are checked again for each file",
  options(),
  async (world) => {
    const runId = await world.run(script("ask edit a.txt,b.txt", "say Done."));
    const { id } = await nextItem(world, runId);
    await world.settled(runId);
    const rules = { allow: [], ask: [], deny: ["Edit(b.txt)"] };
    world.runtime.parts.authority = () => [{ source: "project", rules }];
    await decideApproval(id, { decision: "approve" }, "sam", world.runtime.people);
    await world.seen(runId, "RUN_COMPLETED");
    expect(logOf(world)).not.toMatch(/^did a\.txt,b\.txt/m);
    expect(payloadsOf(await world.events(runId), "TOOL_RESULT")[0]).toMatchObject({
      outcome: "denied",
      output: expect.stringContaining("Edit(b.txt)"),
    });
  },
);

const TWICE = script("run read a.txt", "child", "wait", "THEN", "say Went on.");

scenario(
  "[RN8] after a crash leftover processes are killed, and a program that can resume its session continues",
  options({ agent: runner("", 'ACP_LOADS: "1"') }),
  async (world) => {
    const runId = await world.run(TWICE);
    const before = pidsIn(await waitForLog(world, "waiting"));
    crash(world);
    await world.restart();
    const { end } = await world.settled(runId);
    expect(end).toMatchObject({ status: "completed", summary: "Went on." });
    expect(before.filter(isAlive)).toEqual([]);
    expect(payloadsOf(await world.events(runId), "RUNNER_STARTED")).toMatchObject([
      { loads: true },
      { loaded: true },
    ]);
    expect(
      logOf(world)
        .match(/^prompt .*/gm)!
        .at(-1),
    ).toContain("started again");
  },
);

scenario(
  "[RN8] if a program cannot resume its session, the outcome of its work is unknown and a person decides",
  options(),
  async (world) => {
    const runId = await world.run(TWICE);
    const before = pidsIn(await waitForLog(world, "waiting"));
    crash(world);
    await world.restart();
    const item = await nextItem(world, runId);
    expect(item).toMatchObject({ kind: "outcome", tool: "prompt" });
    expect(before.filter(isAlive)).toEqual([]);
    const said = { verdict: "happened" as const, output: "It was all done." };
    await decideOutcome(runId, item.callId!, said, "sam", world.runtime.people);
    await world.seen(runId, "RUN_COMPLETED");
    expect((await world.state(runId)).end).toMatchObject({ summary: "It was all done." });
    expect(logOf(world).match(/^prompt /gm)).toHaveLength(1);
  },
);

scenario(
  "[RN8] after a crash a person can start the program again with the whole task",
  options(),
  async (world) => {
    const again = await world.run(TWICE);
    await waitForLog(world, "waiting");
    crash(world);
    await world.restart();
    const { callId } = await nextItem(world, again);
    await decideOutcome(again, callId!, { verdict: "run_again" }, "sam", world.runtime.people);
    await vi.waitFor(() => expect(logOf(world).match(/^prompt .*wait/gm)).toHaveLength(2), 30_000);
    await cancelRun(again, "sam", undefined, world.runtime.people);
    await world.seen(again, "RUN_CANCELLED");
  },
);

scenario(
  "[RN3] [RN8] an approval given after a crash applies when the restarted program asks again",
  options({ agent: runner("", 'ACP_LOADS: "1"') }),
  async (world) => {
    const runId = await world.run(
      script("ask execute touch x", "say Never.", "THEN", "ask execute touch x", "say Done."),
    );
    const { id } = await nextItem(world, runId);
    await world.settled(runId);
    crash(world);
    await world.restart();
    await decideApproval(id, { decision: "approve" }, "sam", world.runtime.people);
    await world.seen(runId, "RUN_COMPLETED");
    expect(
      logOf(world)
        .match(/^answer .*/gm)
        ?.at(-1),
    ).toBe("answer touch x a2");
    const rules = payloadsOf(await world.events(runId), "TOOL_PROPOSED").map(({ rule }) => rule);
    expect(rules).toEqual(["default ask Bash", "approved by sam before the program was started again"]);
  },
);

scenario("[RN9] a program from an untrusted folder is not started", options({ env: {} }), async (world) => {
  const { waitingOn } = await world.settled(await world.run(script("say x")));
  expect(waitingOn).toMatchObject({
    kind: "definition_changed",
    detail: expect.stringContaining("not trusted"),
  });
  expect(existsSync(join(world.folder, "acp.log"))).toBe(false);
});

scenario(
  "[RN9] the agent file sets the program's variables and mode, and no secret is recorded",
  options({
    agent: runner(", mode: plan", `ACP_SECRET: "$\{MY_TOKEN}"`),
    config: "sandbox: none\nvariables: [MY_TOKEN]\n",
    env: { CADRE_TRUST: "1", MY_TOKEN: "sk-verysecretvalue1234567890" },
  }),
  async (world) => {
    const runId = await world.run(script("say Done."));
    await world.settled(runId);
    expect(logOf(world)).toMatch(/^new \S+ \d+ sk-verysecretvalue1234567890$/m);
    expect(logOf(world)).toContain("mode plan");
    const events = await world.events(runId);
    expect(payloadsOf(events, "RUNNER_STARTED")).toMatchObject([{ mode: "plan" }]);
    expect(JSON.stringify(events)).not.toContain("verysecret");
  },
);

const bwrap = await trySandbox("bwrap");

if ("sandbox" in bwrap)
  scenario(
    "[RN9] a program runs in the sandbox: it can write only in the workspace",
    // The scripted program is part of this repository. The sandbox hides /tmp, so a clone in /tmp must be listed here.
    options({ config: `sandbox: { driver: bwrap, write: [${JSON.stringify(ROOT)}] }\n` }),
    async (world) => {
      const outside = `/usr/share/written-by-a-program-${process.pid}`;
      const runId = await world.run(script("touch inside", `touch ${outside}`, "say Never."));
      const { end } = await world.settled(runId);
      expect(end).toMatchObject({
        status: "failed",
        summary: expect.stringMatching(/read-only|EROFS|Internal/i),
      });
      expect(existsSync(join(world.folder, "inside"))).toBe(true);
      expect(existsSync(outside)).toBe(false);
      expect(payloadsOf(await world.events(runId), "RUNNER_STARTED")).toMatchObject([{ sandbox: "bwrap" }]);
    },
  );

scenario(
  "[RN9] [A80] [30.2] an agent file gets no variable that cadre.yaml does not list",
  options({
    agent: runner("", `ACP_SECRET: "x$\{CADRE_TOKEN}"`),
    config: "sandbox: none\nvariables: [MY_TOKEN]\n",
    env: { CADRE_TRUST: "1", CADRE_TOKEN: "sk-verysecretvalue1234567890" },
  }),
  async (world) => {
    const runId = await world.run(script("say Done."));
    await world.settled(runId);
    const log = existsSync(join(world.folder, "acp.log")) ? logOf(world) : "";
    expect(log).not.toContain("verysecret");
    expect(JSON.stringify(await world.events(runId))).toMatch(/CADRE_TOKEN, which is not set or not listed/);
  },
);
