import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { effects } from "../../../test/support/oracle.ts";
import {
  charge,
  delegate,
  look,
  payloadsOf,
  promptOf,
  resultsRead,
  roles,
  scenario,
  turns,
} from "../../../test/support/scenario.ts";
import { openApprovalIds, type World } from "../../../test/support/world.ts";
import { decideApproval } from "../commands/person-commands.ts";
import { replayRuns } from "../replay/replay.ts";
import { combineAnswers, readAnswer } from "./read-answer.ts";

const ALLOW_ALL = "permissions: { allow: [charge, stamp, Bash, Write] }\n";

/** The `hooks` section of cadre.yaml, with one bash command for each event. */
function hooks(commands: Record<string, string | { matcher?: string; command: string; timeout?: number }>) {
  const written = Object.entries(commands).map(([event, hook]) => {
    const { matcher, ...command } = typeof hook === "string" ? { command: hook } : hook;
    return [event, [{ ...(matcher === undefined ? {} : { matcher }), hooks: [command] }]];
  });
  return `hooks: ${JSON.stringify(Object.fromEntries(written))}\n`;
}

const answer = (output: object): string => `echo '${JSON.stringify({ hookSpecificOutput: output })}'`;
const decide = (permissionDecision: string, permissionDecisionReason = "because"): string =>
  answer({ hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason });

const toldBy = async (world: World, runId: string): Promise<string[]> =>
  payloadsOf(await world.events(runId), "CONTEXT_ADDED").map(({ text }) => text);

describe("before a call", () => {
  scenario(
    "[HK4] a hook that exits with 2 denies the call, and the agent gets its message",
    {
      idle: true,
      config: ALLOW_ALL + hooks({ PreToolUse: { matcher: "charge", command: "echo not today >&2; exit 2" } }),
      script: turns({ calls: [charge("card 1"), look("orders")] }),
    },
    async (world) => {
      const runId = await world.run("go");
      expect((await world.drive(runId)).status).toBe("completed");
      const read = resultsRead(await world.events(runId));
      expect(read[0]).toContain("not today");
      expect(read[1]).toContain("look orders");
      expect(effects(world.oracle).map(({ tool }) => tool)).toEqual(["look"]);
      const events = await world.events(runId);
      expect(payloadsOf(events, "TOOL_PROPOSED")[0]).toMatchObject({ verdict: "deny", basis: "hook" });
      expect(payloadsOf(events, "HOOKS_ENDED")).toMatchObject([
        { event: "PreToolUse", toolCallId: "m1.0", decision: "deny", runs: [{ code: 2 }] },
      ]);
    },
  );

  scenario(
    "a hook reads the call as JSON, with Claude Code's names, in the run's folder and without secrets",
    {
      idle: true,
      agent: "tools: [Read]",
      files: { "notes.txt": "hello" },
      config: hooks({ PreToolUse: { matcher: "Read", command: "cat > seen.json; env > env.txt" } }),
      script: turns({ calls: [{ tool: "Read", input: { path: "notes.txt" } }] }),
    },
    async (world) => {
      process.env["HOOK_TEST_API_KEY"] = "sk-not-for-hooks";
      const runId = await world.run("go");
      await world.drive(runId);
      delete process.env["HOOK_TEST_API_KEY"];
      expect(JSON.parse(readFileSync(join(world.folder, "seen.json"), "utf8"))).toMatchObject({
        hook_event_name: "PreToolUse",
        tool_name: "Read",
        tool_input: { path: "notes.txt", file_path: join(world.folder, "notes.txt") },
        cwd: world.folder,
        run_id: runId,
      });
      const env = readFileSync(join(world.folder, "env.txt"), "utf8");
      expect(env).toContain(`CLAUDE_PROJECT_DIR=${world.folder}`);
      expect(env).not.toContain("sk-not-for-hooks");
    },
  );

  scenario(
    "[HK2] [HK4] a hook that answers `ask` makes the run wait for a person, and is not run again",
    {
      idle: true,
      config: ALLOW_ALL + hooks({ PreToolUse: `echo x >> ran; ${decide("ask", "is it paid?")}` }),
      script: turns({ calls: [charge("card 1")] }),
    },
    async (world) => {
      const runId = await world.run("go");
      expect((await world.drive(runId)).waitingOn).toMatchObject({ kind: "approval" });
      expect(payloadsOf(await world.events(runId), "TOOL_PROPOSED")[0]).toMatchObject({
        verdict: "ask",
        rule: expect.stringContaining("is it paid?"),
      });
      const [item] = await openApprovalIds(world, runId);
      await world.restart({ idle: true });
      await decideApproval(item!, { decision: "approve" }, "ann", world.runtime.people);
      expect((await world.drive(runId)).status).toBe("completed");
      expect(effects(world.oracle)).toHaveLength(1);
      expect(readFileSync(join(world.folder, "ran"), "utf8")).toBe("x\n");
    },
  );

  scenario(
    "[HK4] [P12] a hook can allow what the default policy asks about, but never what a rule denies or asks about",
    {
      idle: true,
      agent: "tools: [Bash, charge, stamp]",
      config: `permissions: { ask: [charge], deny: [stamp] }\n${hooks({ PreToolUse: decide("allow") })}`,
      script: turns({
        calls: [
          { tool: "Bash", input: { command: "touch made" } },
          { tool: "stamp", input: { what: "it" } },
          charge("card 1"),
        ],
      }),
    },
    async (world) => {
      const runId = await world.run("go");
      expect((await world.drive(runId)).waitingOn).toMatchObject({ kind: "approval", items: ["m1.2"] });
      expect(existsSync(join(world.folder, "made"))).toBe(true);
      expect(payloadsOf(await world.events(runId), "TOOL_PROPOSED").map(({ verdict }) => verdict)).toEqual([
        "allow",
        "deny",
        "ask",
      ]);
    },
  );

  scenario(
    "[HK5] if a hook cannot start, a person decides about the call",
    {
      idle: true,
      config: ALLOW_ALL + hooks({ PreToolUse: "./no-such-program" }),
      script: turns({ calls: [charge("card 1")] }),
    },
    async (world) => {
      const runId = await world.run("go");
      expect((await world.drive(runId)).waitingOn).toMatchObject({ kind: "approval" });
      const [proposed] = payloadsOf(await world.events(runId), "TOOL_PROPOSED");
      expect(proposed!.rule).toMatch(/no-such-program.*exit code 127/s);
      expect(effects(world.oracle)).toEqual([]);
    },
  );

  scenario(
    "[HK5] [HK6] a hook that hangs is killed with all its processes, and a person decides",
    {
      idle: true,
      config:
        ALLOW_ALL +
        hooks({
          PreToolUse: { command: "sleep 300 & echo $! > pid; trap '' TERM; sleep 300", timeout: 0.5 },
        }),
      script: turns({ calls: [charge("card 1")] }),
    },
    async (world) => {
      const runId = await world.run("go");
      expect((await world.drive(runId)).waitingOn).toMatchObject({ kind: "approval" });
      const [ended] = payloadsOf(await world.events(runId), "HOOKS_ENDED");
      expect(ended!.reason).toContain("killed after 0.5 s");
      const pid = Number(readFileSync(join(world.folder, "pid"), "utf8"));
      await expect.poll(() => isAlive(pid), { timeout: 60_000 }).toBe(false);
    },
  );

  scenario(
    "a hook judges the input that a person has edited, too",
    {
      idle: true,
      config: `permissions: { ask: [charge] }\n${hooks({ PreToolUse: "if grep -q forbidden; then echo never >&2; exit 2; fi" })}`,
      script: turns({ calls: [charge("card 1")] }),
    },
    async (world) => {
      const runId = await world.run("go");
      await world.drive(runId);
      const [item] = await openApprovalIds(world, runId);
      await decideApproval(
        item!,
        { decision: "edit", input: { what: "forbidden" } },
        "ann",
        world.runtime.people,
      );
      expect((await world.drive(runId)).status).toBe("completed");
      expect(effects(world.oracle)).toEqual([]);
      expect(resultsRead(await world.events(runId))[0]).toContain("never");
    },
  );

  scenario(
    "a hook can forbid a delegation by Claude Code's name of the tool",
    {
      idle: true,
      agent: "agents: [helper]",
      cast: { helper: "" },
      config: hooks({ PreToolUse: { matcher: "Task", command: "echo alone >&2; exit 2" } }),
      script: roles({ tester: turns({ calls: [delegate("helper")] }) }),
    },
    async (world) => {
      const runId = await world.run("go");
      await world.drive(runId);
      expect(resultsRead(await world.events(runId))[0]).toContain("alone");
    },
  );
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("the other moments of a run", () => {
  scenario(
    "the output of start hooks reaches the agent in its first turn",
    {
      idle: true,
      config: hooks({
        SessionStart: "echo the build is red",
        UserPromptSubmit: answer({ hookEventName: "UserPromptSubmit", additionalContext: "ticket 7" }),
      }),
      script: turns(),
    },
    async (world) => {
      const runId = await world.run("go");
      await world.drive(runId);
      const prompt = JSON.stringify(promptOf(await world.events(runId)));
      expect(prompt).toContain("the build is red");
      expect(prompt).toContain("ticket 7");
    },
  );

  scenario(
    "a hook that refuses the task ends the run before a model is called",
    {
      idle: true,
      config: hooks({ UserPromptSubmit: "echo no secrets, please >&2; exit 2" }),
      script: turns(),
    },
    async (world) => {
      const runId = await world.run("go");
      const state = await world.drive(runId);
      expect(state.end).toMatchObject({ status: "failed", stopReason: "refused" });
      expect(state.end!.summary).toContain("no secrets, please");
      expect(state.modelCalls).toBe(0);
    },
  );

  scenario(
    "a hook after a call sees its result, and its objection reaches the agent; failed calls have no such hook",
    {
      idle: true,
      agent: "tools: [Write, Read]",
      config: `${ALLOW_ALL}${hooks({ PostToolUse: { matcher: "Write|Read", command: "cat > after.json; echo x >> ran; echo format it >&2; exit 2" } })}`,
      script: turns(
        { calls: [{ tool: "Write", input: { path: "a.txt", content: "a" } }] },
        { calls: [{ tool: "Read", input: { path: "missing.txt" } }] },
      ),
    },
    async (world) => {
      const runId = await world.run("go");
      expect((await world.drive(runId)).status).toBe("completed");
      expect(readFileSync(join(world.folder, "ran"), "utf8")).toBe("x\n");
      expect(JSON.parse(readFileSync(join(world.folder, "after.json"), "utf8"))).toMatchObject({
        tool_name: "Write",
        tool_response: expect.stringContaining("a.txt"),
      });
      expect((await toldBy(world, runId)).join()).toMatch(/objects to the result of your call.*format it/s);
    },
  );

  scenario(
    "[P11] a hook can keep a run from ending until its work is done",
    {
      idle: true,
      config: hooks({
        Stop: "cat >> ends; if [ ! -e tested ]; then touch tested; echo run the tests >&2; exit 2; fi",
      }),
      script: turns({ text: "done" }, { text: "tested and done" }),
    },
    async (world) => {
      const runId = await world.run("go");
      const state = await world.drive(runId);
      expect(state.end).toMatchObject({ status: "completed", summary: "tested and done" });
      expect((await toldBy(world, runId)).join()).toMatch(/cannot end yet.*run the tests/s);
      const ends = readFileSync(join(world.folder, "ends"), "utf8");
      expect(ends).toContain('"stop_hook_active":false');
      expect(ends).toContain('"stop_hook_active":true');
    },
  );

  scenario(
    "[HK7] if a hook prevents a run's end again and again, the run ends anyway",
    { idle: true, config: hooks({ Stop: "exit 2" }), script: ({ turn }) => ({ text: `end ${turn}` }) },
    async (world) => {
      const runId = await world.run("go");
      const state = await world.drive(runId);
      expect(state.status).toBe("completed");
      expect(state.turns).toBe(9);
    },
  );

  scenario(
    "the hooks SubagentStart and SubagentStop run for a subagent, instead of SessionStart and Stop",
    {
      idle: true,
      agent: "agents: [helper]",
      cast: { helper: "" },
      config: hooks({
        SessionStart: "echo SessionStart >> order",
        SubagentStart: "echo SubagentStart >> order",
        SubagentStop: "echo SubagentStop >> order",
        Stop: "echo Stop >> order",
      }),
      script: roles({ tester: turns({ calls: [delegate("helper")] }) }),
    },
    async (world) => {
      const runId = await world.run("go");
      const state = await world.drive(runId);
      await world.drive([...state.children.keys()][0]!);
      await world.drive(runId);
      const order = readFileSync(join(world.folder, "order"), "utf8").trim().split("\n");
      expect(order).toEqual(["SessionStart", "SubagentStart", "SubagentStop", "Stop"]);
    },
  );
});

describe("a process that dies", () => {
  scenario(
    "[HK3] [F01] if the process dies while a hook runs, the hook is not run again and a person decides",
    {
      idle: true,
      config: ALLOW_ALL + hooks({ PreToolUse: "echo x >> ran" }),
      script: turns({ calls: [charge("card 1")] }),
    },
    async (world) => {
      const runId = await world.run("go");
      await world.restart({
        idle: true,
        intercept(append, send) {
          if (append.events.some(({ type }) => type === "HOOKS_ENDED")) world.die();
          return send();
        },
      });
      await world.drive(runId).catch(() => {});
      await world.restart({ idle: true });
      const state = await world.drive(runId);
      expect(state.waitingOn).toMatchObject({ kind: "approval" });
      expect(payloadsOf(await world.events(runId), "TOOL_PROPOSED")[0]!.rule).toContain("not run again");
      expect(readFileSync(join(world.folder, "ran"), "utf8")).toBe("x\n");
      expect(effects(world.oracle)).toEqual([]);
    },
  );
});

describe("a replay", () => {
  scenario(
    "[HK2] [L2] the replay of a run, and a fork of it, use the recorded answers and run no hook again",
    {
      idle: true,
      config: ALLOW_ALL + hooks({ PreToolUse: "echo x >> ran", PostToolUse: "echo x >> ran" }),
      script: turns({ calls: [charge("card 1")] }),
    },
    async (world) => {
      const runId = await world.run("go");
      await world.drive(runId);
      const ran = () => readFileSync(join(world.folder, "ran"), "utf8");
      expect(ran()).toBe("x\nx\n");
      expect((await replayRuns([runId], world.runtime.parts)).divergence).toBeUndefined();
      const { runId: fork } = await world.runtime.fork(runId, { seq: 1 }, "fork");
      expect((await world.drive(fork)).status).toBe("completed");
      expect(effects(world.oracle)).toHaveLength(1);
      expect(ran()).toBe("x\nx\n");
    },
  );
});

test("[HK5] a hook's answer that Cadre cannot parse does not allow the call", () => {
  const run = { stdout: "", stderr: "", ms: 1 };
  expect(readAnswer("PreToolUse", { ...run, code: 0, stdout: '{"hookSpecificOutput": {' })).toMatchObject({
    decision: "ask",
  });
  expect(readAnswer("PreToolUse", { ...run, code: 1 })).toMatchObject({ decision: "ask" });
  expect(readAnswer("PostToolUse", { ...run, code: 1 })).toEqual({ reason: "it failed with exit code 1" });
  expect(readAnswer("Stop", { ...run, code: 0, stdout: '{"continue": false, "decision": "block"}' })).toEqual(
    {},
  );
  expect(
    readAnswer("PreToolUse", { ...run, code: 0, stdout: '{"hookSpecificOutput":{"updatedInput":{}}}' }),
  ).toMatchObject({ decision: "ask" });
});

test("the strictest of several hooks decides", () => {
  const combined = combineAnswers([
    { command: "a", answer: { decision: "allow" } },
    { command: "b", answer: { decision: "deny", reason: "no", context: "look" } },
    { command: "c", answer: { decision: "ask", reason: "sure?" } },
  ]);
  expect(combined).toEqual({ decision: "deny", reason: "`b`: no", context: "look" });
});
