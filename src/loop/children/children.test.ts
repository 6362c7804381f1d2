import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import {
  delegate,
  look,
  openingOf,
  payloadsOf,
  promptOf,
  resultsRead,
  roles,
  scenario,
  turns,
  typesOf,
} from "../../../test/support/scenario.ts";
import { openApprovalIds, type World } from "../../../test/support/world.ts";
import { fakeClock } from "../../clock.ts";
import { sendMessage } from "../commands/messages.ts";
import { cancelRun, decideApproval, resumeRun } from "../commands/person-commands.ts";

const cast = { coder: "", helper: "" };
const lead = (more = "") => `agents: [coder, helper]\ntools: [look]\n${more}`;
const parallel = lead("delegation: { mode: parallel, maxParallel: 2 }");

/** The children of a run, in start order. */
async function childrenOf(world: World, runId: string): Promise<string[]> {
  return payloadsOf(await world.events(runId), "CHILD_RUN_STARTED").map((payload) => payload.child_run_id);
}

scenario(
  "[S0-4] [S0-16] [S0-28] [S0-29] [D0] a delegation starts a child run; the parent's journal records only the child's start and end",
  { agent: lead(), cast, script: roles({ tester: turns({ calls: [delegate("coder", "mend it")] }) }) },
  async (world) => {
    const runId = await world.run("see to it", { userId: "u7" });
    const { end } = await world.settled(runId);
    expect(end).toMatchObject({ status: "completed", summary: "done" });
    const events = await world.events(runId);
    expect(typesOf(events)).toEqual([
      "RUN_STARTED",
      "MODEL_CALL_STARTED",
      "AGENT_THOUGHT",
      "TOOL_PROPOSED",
      "CHILD_RUN_STARTED",
      "RUN_SUSPENDED",
      "CHILD_RUN_COMPLETED",
      "MODEL_CALL_STARTED",
      "AGENT_THOUGHT",
      "RUN_COMPLETED",
    ]);
    const [child] = await childrenOf(world, runId);
    expect(await world.runtime.store.runs.get(child!)).toMatchObject({
      agent: "coder",
      parentRunId: runId,
      rootRunId: runId,
      depth: 1,
      trigger: "delegation",
      task: "mend it",
      userId: "u7",
      status: "completed",
    });
    const [result] = resultsRead(events);
    expect(result).toMatch(/^<untrusted-\w+ source="coder c/);
    expect(JSON.parse(result!.split("\n").slice(1, -1).join("\n"))).toMatchObject({
      status: "completed",
      summary: "coder is done",
      files_modified: [],
      iteration_count: 1,
      child_run_id: child,
    });
  },
);

scenario(
  "[S0-48] [S0-49] [D1] sequential mode runs the first delegation of an answer and defers the others",
  {
    agent: lead(),
    cast,
    script: roles({
      tester: turns({ calls: [delegate("coder"), delegate("helper")] }, { calls: [delegate("helper")] }),
    }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    await world.settled(runId);
    const results = resultsRead(await world.events(runId));
    expect(results).toHaveLength(3);
    expect(results[1]).toBe("Deferred: one sub-agent at a time. Ask again if it is still needed.");
    expect(await childrenOf(world, runId)).toHaveLength(2);
  },
);

scenario(
  "[S1-23] [D1] parallel mode runs at most maxParallel children, and the results are in the order of the calls",
  {
    agent: parallel,
    cast,
    script: roles({
      tester: turns({ calls: [delegate("coder", "a"), delegate("coder", "b"), delegate("coder", "c")] }),
      coder: ({ task }) => ({ text: `coder did ${task}`, delay: task === "a" ? 40 : 0 }),
    }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    await world.settled(runId);
    const events = await world.events(runId);
    expect(resultsRead(events).map((text) => /coder did (\w)/.exec(text)?.[1])).toEqual(["a", "b", "c"]);
    const live = events.reduce(
      (state, { type }) => {
        if (type === "CHILD_RUN_STARTED") state.now++;
        if (type === "CHILD_RUN_COMPLETED") state.now--;
        return { now: state.now, most: Math.max(state.most, state.now) };
      },
      { now: 0, most: 0 },
    );
    expect(live).toEqual({ now: 0, most: 2 });
  },
);

scenario(
  "[S1-8] [S1-19] [F22] [S1-68] a refused delegation says why: not allowed, a cycle, or the depth limit",
  {
    agent: lead("limits: { maxDepth: 2 }"),
    cast: { coder: "agents: [helper, tester]", helper: "agents: [coder]", other: "" },
    script: roles({
      tester: turns({ calls: [delegate("other")] }, { calls: [delegate("coder")] }),
      coder: turns({ calls: [delegate("tester")] }, { calls: [delegate("helper")] }),
      helper: turns({ calls: [delegate("coder")] }),
    }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    await world.settled(runId);
    const [coder] = await childrenOf(world, runId);
    const [helper] = await childrenOf(world, coder!);
    expect(resultsRead(await world.events(runId))[0]).toBe(
      "PERMISSION_DENIED: tester cannot spawn other. It may spawn: coder, helper.",
    );
    expect(resultsRead(await world.events(coder!))[0]).toBe(
      "Cycle: tester is already at work above (tester → coder → tester). It may spawn: helper.",
    );
    expect(resultsRead(await world.events(helper!))).toEqual([
      "Depth limit: this would be level 3 of delegation, and maxDepth is 2. Do it yourself.",
    ]);
  },
);

scenario(
  "[S4-16] a subagent never delegates, whatever its file says",
  {
    agent: lead(),
    cast: { coder: "kind: subagent", helper: "" },
    script: roles({
      tester: turns({ calls: [delegate("coder")] }),
      coder: turns({ calls: [delegate("helper")] }),
    }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    await world.settled(runId);
    const [coder] = await childrenOf(world, runId);
    expect(resultsRead(await world.events(coder!))).toEqual([
      "PERMISSION_DENIED: coder is a subagent, and a subagent never spawns.",
    ]);
  },
);

scenario(
  "[S0-52] [S1-66] if a child fails, the call's result names the first cause, and the parent continues",
  {
    agent: lead(),
    cast: { coder: "agents: [helper]\ndelegation: { onFailure: fail }", helper: "" },
    script: roles({
      tester: turns({ calls: [delegate("coder")] }),
      coder: turns({ calls: [delegate("helper")] }),
      helper: () => ({ error: { status: 400, message: "no such model" } }),
    }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    expect((await world.settled(runId)).end).toMatchObject({ status: "completed" });
    const [result] = resultsRead(await world.events(runId));
    expect(result).toMatch(/"status": "failed"/);
    expect(result).toMatch(/helper did not succeed: .*first cause: helper, run c\w+: /);
  },
);

scenario(
  "[D4] with onFailure: retry, a failed child is followed by one more attempt, which is another run",
  {
    agent: lead("delegation: { onFailure: retry }"),
    cast,
    script: roles({
      tester: turns({ calls: [delegate("coder")] }),
      coder: () => ({ error: { status: 400, message: "no" } }),
    }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    await world.settled(runId);
    const events = await world.events(runId);
    expect(payloadsOf(events, "CHILD_RUN_STARTED").map(({ attempt = 1 }) => attempt)).toEqual([1, 2]);
    expect(new Set(await childrenOf(world, runId)).size).toBe(2);
    expect(resultsRead(events)).toHaveLength(1);
  },
);

scenario(
  "[S1-21] [D2] with await: false, the parent gets the child's id immediately and its answer as a message; the parent ends after the child",
  {
    agent: parallel,
    cast,
    script: roles({
      tester: turns({ calls: [delegate("coder", "slow", { await: false })] }, { text: "I am done." }),
      coder: () => ({ text: "late news", delay: 30 }),
    }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    const { end } = await world.settled(runId);
    expect(end?.summary).toBe("I am done.");
    const events = await world.events(runId);
    const [child] = await childrenOf(world, runId);
    expect(resultsRead(events)).toEqual([expect.anything()]);
    expect(payloadsOf(events, "TOOL_RESULT")[0]?.output).toEqual({ child_run_id: child, status: "started" });
    expect(payloadsOf(events, "RUN_COMPLETED")[0]?.unseen?.[0]).toMatch(
      /^Run c\w+ of coder, which you started, is done/,
    );
    expect(typesOf(events).slice(-2)).toEqual(["CHILD_RUN_COMPLETED", "RUN_COMPLETED"]);
  },
);

scenario(
  "[D2] manage_runs checks and awaits children that a delegation does not await",
  {
    agent: parallel,
    cast,
    script: roles({
      tester: ({ turn, lastResult }) => {
        const ids = /c[0-9a-z]{20,}/.exec(lastResult ?? "")?.[0];
        if (turn === 1) return { calls: [delegate("coder", "x", { await: false })] };
        if (turn === 2)
          return {
            calls: [
              { tool: "manage_runs", input: { action: "check", run_ids: [ids] } },
              { tool: "check_run", input: { run_id: "c-none" } },
            ],
          };
        return turn === 3
          ? { calls: [{ tool: "manage_runs", input: { action: "wait", run_ids: [knownId] } }] }
          : { text: "done" };
      },
      coder: () => ({ text: "coder did it", delay: 30 }),
    }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    void world.seen(runId, "CHILD_RUN_STARTED").then((event) => {
      knownId = (event.payload as { child_run_id: string }).child_run_id;
    });
    await world.settled(runId);
    const events = await world.events(runId);
    const results = payloadsOf(events, "TOOL_RESULT").map(({ output }) => output);
    expect(results[1]).toMatchObject([{ agent: "coder", run_id: knownId }]);
    expect(results[2]).toMatch(/c-none is no run that you started/);
    expect(results[3]).toEqual([{ run_id: knownId, agent: "coder", status: "completed" }]);
    const said = JSON.stringify(promptOf(events));
    expect(said.split("coder did it")).toHaveLength(2);
  },
);
let knownId = "";

scenario(
  "[D2] a rule that denies `cancel_run` also denies cancelling through `manage_runs`, under either name",
  {
    agent: parallel,
    cast,
    config: 'permissions: { deny: ["cancel_run"] }',
    script: roles({
      tester: ({ turn, lastResult }) => {
        const id = /c[0-9a-z]{20,}/.exec(lastResult ?? "")?.[0];
        if (turn === 1) return { calls: [delegate("coder", "x", { await: false })] };
        return turn === 2
          ? {
              calls: [
                { tool: "manage_runs", input: { action: "cancel", run_ids: [id] } },
                { tool: "cancel_run", input: { run_id: id } },
                { tool: "manage_runs", input: { action: "wait", run_ids: [id] } },
              ],
            }
          : { text: "done" };
      },
      coder: () => ({ text: "coder did it", delay: 30 }),
    }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    await world.settled(runId);
    const results = payloadsOf(await world.events(runId), "TOOL_RESULT");
    expect(results.slice(1).map(({ outcome = "ok" }) => outcome)).toEqual(["denied", "denied", "ok"]);
  },
);

scenario(
  "[S0-61] [S0-62] a child that needs approval suspends its ancestors; after one answer they all resume by themselves",
  {
    agent: lead(),
    cast: { coder: "agents: [helper]", helper: "tools: { allow: [charge], ask: [charge] }" },
    script: roles({
      tester: turns({ calls: [delegate("coder")] }),
      coder: turns({ calls: [delegate("helper")] }),
      helper: turns({ calls: [{ tool: "charge", input: { what: "x" } }] }),
    }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    const blocked = await world.settled(runId);
    expect(blocked).toMatchObject({ status: "suspended", waitingOn: { kind: "child_hitl" } });
    const [blocker] = blocked.waitingOn!.blockers!;
    await world.restart();
    const [id] = await openApprovalIds(world, blocker!);
    await decideApproval(id!, { decision: "approve" }, "maria", world.runtime.people);
    await world.seen(runId, "RUN_COMPLETED");
    expect((await world.state(runId)).end?.status).toBe("completed");
  },
);

scenario(
  "[P12] [S1-18] an ancestor's deny rule applies to its whole subtree; a child of an unattended run is unattended and inherits no tools",
  {
    agent: lead("permissions: { deny: [charge] }"),
    cast: { coder: "tools: [charge, look]", helper: "" },
    script: roles({
      tester: turns({ calls: [{ tool: "charge", input: { what: "own" } }] }, { calls: [delegate("coder")] }),
      coder: turns({ calls: [{ tool: "charge", input: { what: "x" } }] }, { calls: [look("y")] }),
    }),
  },
  async (world) => {
    const runId = await world.run("see to it", { attended: false });
    await world.settled(runId);
    const [coder] = await childrenOf(world, runId);
    expect(resultsRead(await world.events(runId))[0]).toMatch(/There is no tool "charge" for you/);
    expect(resultsRead(await world.events(coder!))).toEqual([
      "Not allowed (ancestor tester deny charge). Do it another way.",
      "look y: done",
    ]);
    expect(await world.runtime.store.runs.get(coder!)).toMatchObject({ attended: false });
  },
);

scenario(
  "[P7] [S4-18] cancelling the root cancels all of its descendants, and the root ends after its children",
  {
    agent: parallel,
    cast: { coder: "agents: [helper]", helper: "" },
    script: roles({
      tester: turns({ calls: [delegate("coder"), delegate("coder", "b")] }),
      coder: turns({ calls: [delegate("helper")] }),
      helper: () => ({ text: "never", delay: 60_000 }),
    }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    const { store } = world.runtime;
    await new Promise<void>((resolve) => {
      let helpers = 0;
      store.journal.onCommit((events) => {
        for (const event of events)
          if (event.type === "MODEL_CALL_STARTED" && event.runId !== runId && ++helpers === 4) resolve();
      });
    });
    const { cancelled } = await cancelRun(runId, "maria", "enough", world.runtime.people);
    expect(cancelled).toHaveLength(5);
    await world.seen(runId, "RUN_CANCELLED");
    const { runs } = await store.runs.list({ root: runId });
    expect(runs.map(({ status, stopReason }) => `${status} ${stopReason}`)).toEqual([
      ...Array(4).fill("cancelled parent"),
      "cancelled user",
    ]);
    const ends = (await store.journal.readAll(0, 1000))
      .filter(({ type }) => type === "RUN_CANCELLED")
      .map((event) => event.runId);
    expect(ends.at(-1)).toBe(runId);
  },
);

scenario(
  "a message to a waiting parent is read when it resumes",
  {
    agent: lead(),
    cast,
    script: roles({
      tester: turns({ calls: [delegate("coder")] }),
      coder: () => ({ text: "ok", delay: 30 }),
    }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    await world.seen(runId, "RUN_SUSPENDED");
    await sendMessage(runId, "hurry", "maria", world.runtime.people);
    await world.settled(runId);
    expect(JSON.stringify(promptOf(await world.events(runId)))).toContain("hurry");
  },
);

scenario(
  "[28.10] [S2-54] the result of a child that a limit cut off names the limit and contains a warning",
  {
    agent: lead("delegation: { mode: parallel }"),
    cast: { coder: "limits: { maxTurns: 1 }" },
    script: roles({ tester: turns({ calls: [delegate("coder")] }), coder: () => ({ text: "Half of it." }) }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    await world.settled(runId);
    const [read] = resultsRead(await world.events(runId));
    expect(read).toContain('"stop_reason": "max_turns"');
    expect(read).toContain(
      "Cut off by a limit (max_turns) before it was done: the result may be incomplete.",
    );
  },
);

scenario(
  "[28.18] [S2-55] [S2-56] the result of `delegate_to_agent` has the first paragraph of the answer as its summary, and the rest as its details",
  {
    agent: "agents: [helper]\ntools: []\ndelegation: { tool: delegate_to_agent }",
    cast: { helper: "tools: []" },
    script: roles({
      tester: turns({ calls: [{ tool: "delegate_to_agent", input: { role: "helper", task: "x" } }] }),
      helper: () => ({ text: "## Summary\n\nDone.\nAll of it.\n\n## Details\n\nOne file." }),
    }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    await world.settled(runId);
    const [read] = resultsRead(await world.events(runId));
    const { status, summary, details } = JSON.parse(/\{.*\}/s.exec(read!)![0]);
    expect([status, summary]).toEqual(["completed", "## Summary\n\nDone.\nAll of it."]);
    expect(details).toBe("## Details\n\nOne file.");
  },
);

scenario(
  "[28.12] [S2-13] selective context contains the content of the named files",
  {
    agent: "agents: [coder]\ntools: [Read]",
    cast,
    script: roles({
      tester: ({ turn }) => {
        if (turn === 1)
          return {
            calls: [
              { tool: "Read", input: { path: "a.txt" } },
              { tool: "Read", input: { path: "b.txt" } },
            ],
          };
        const input = { agent: "coder", task: "go", context_mode: "selective", context_files: ["./a.txt"] };
        return turn === 2 ? { calls: [{ tool: "delegate", input }] } : { text: "done" };
      },
    }),
  },
  async (world) => {
    writeFileSync(join(world.folder, "a.txt"), "the first content\n");
    writeFileSync(join(world.folder, "b.txt"), "the other content\n");
    const runId = await world.run("see to it");
    await world.settled(runId);
    const [child] = await childrenOf(world, runId);
    const [context] = payloadsOf(await world.events(child!), "CONTEXT_ADDED");
    expect(context!.text).toContain("the first content");
    expect(context!.text).not.toContain("the other content");
  },
);

for (const [mode, sees] of [
  ["none", undefined],
  ["full", "I will look first"],
  ["selective", "look a.txt: done"],
  ["summary", "in short"],
] as const) {
  scenario(
    `[S2-13] with context ${mode}, the child's journal contains the text that the child sees`,
    {
      agent: lead(),
      cast,
      script: roles({
        tester: ({ turn, purpose }) => {
          if (purpose === "brief") return { text: "all of it in short" };
          if (turn === 1) return { text: "I will look first", calls: [look("a.txt")] };
          return turn === 2
            ? { calls: [delegate("coder", "go", { context_mode: mode, context_files: ["a.txt"] })] }
            : { text: "done" };
        },
      }),
    },
    async (world) => {
      const runId = await world.run("see to it");
      await world.settled(runId);
      const [child] = await childrenOf(world, runId);
      const context = payloadsOf(await world.events(child!), "CONTEXT_ADDED");
      if (sees === undefined) return expect(context).toEqual([]);
      expect(context).toMatchObject([{ source: "parent", from: "tester" }]);
      expect(context[0]!.text).toContain(sees);
    },
  );
}

scenario(
  "[P9] if one model answer calls `look` and `manage_runs`, both calls run",
  {
    agent: lead(),
    cast,
    script: roles({
      tester: ({ turn, lastResult }) => {
        const id = /c[0-9a-z]{20,}/.exec(lastResult ?? "")?.[0];
        if (turn === 1) return { calls: [delegate("coder", "x", { await: false })] };
        return turn === 2
          ? { calls: [look("a"), { tool: "manage_runs", input: { action: "check", run_ids: [id] } }] }
          : { text: "done" };
      },
    }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    await world.seen(runId, "RUN_COMPLETED", "SYSTEM_ERROR");
    expect(payloadsOf(await world.events(runId), "SYSTEM_ERROR")).toEqual([]);
  },
);

let root = "";
let theWorld: World;
let said = false;
scenario(
  "[D2] [L4] children are not cancelled while their parent might still continue",
  {
    agent: lead("delegation: { mode: parallel, atEnd: cancel }"),
    cast,
    script: roles({
      tester: turns({ calls: [delegate("coder", "slow", { await: false })] }, { text: "I am done." }),
      coder: () => ({ text: "late news", delay: 500 }),
    }),
    async intercept(append, send) {
      const closing = append.events.some(
        ({ type, payload }) =>
          type === "RUN_SUSPENDED" && /waits for its children/.test(payload.waitingOn.detail ?? ""),
      );
      if (closing && !said) {
        said = true;
        await sendMessage(root, "one more thing", "maria", theWorld.runtime.people);
      }
      return send();
    },
  },
  async (world) => {
    theWorld = world;
    root = await world.run("see to it");
    await world.seen(root, "RUN_COMPLETED");
    const [child] = await childrenOf(world, root);
    const cancel = (await world.events(child!)).find(({ type }) => type === "CANCEL_REQUESTED");
    const later = (await world.events(root)).filter(
      ({ type, position }) => type === "MODEL_CALL_STARTED" && position > (cancel?.position ?? Infinity),
    );
    expect(typesOf(later)).toEqual([]);
  },
);

const clock = fakeClock();
scenario(
  "[P8] an approval expires even while its run waits for another child",
  {
    agent: lead("delegation: { mode: parallel, maxParallel: 2 }\nlimits: { approvalTimeout: 1h }"),
    cast,
    idle: true,
    clock,
    config: "permissions: { ask: [delegate] }\napprovals: { timeout: 1h }\n",
    script: roles({ tester: turns({ calls: [delegate("coder"), delegate("helper")] }) }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    await world.drive(runId);
    await decideApproval(`${runId}:m1.0`, { decision: "approve" }, "maria", world.runtime.people);
    const state = await world.drive(runId);
    expect(state, "a person is needed, also for those above").toMatchObject({
      status: "suspended",
      waitingOn: { kind: "approval", items: ["m1.1"] },
    });
    const [, second] = payloadsOf(await world.events(runId), "TOOL_PROPOSED");
    expect(second!.expiresAt).toBeDefined();
    clock.set(second!.expiresAt!);
    expect(await world.runtime.store.leases.due(clock.now(), 10)).toContain(runId);
  },
);

for (const [tool, style, input, form] of [
  ["run_coder_agent", "per-agent", { task: "go" }, { success: true, summary: "coder is done" }],
  [
    "delegate_to_agent",
    "delegate_to_agent",
    { role: "coder", task: "go" },
    { status: "completed", details: "", tests_run: null, child_run_id: expect.any(String) },
  ],
  [
    "mcp__agent__spawn",
    "mcp__agent__spawn",
    { agentType: "coder", task: "go" },
    { status: "completed", result: {} },
  ],
] as const) {
  scenario(
    `[S0-41] [S0-43] [S1-9] [S2-49] [S2-56] ${tool} takes its own parameters and answers in its own form`,
    {
      agent: lead(`delegation: { tool: ${style} }`),
      cast,
      script: roles({ tester: turns({ calls: [{ tool, input }] }) }),
    },
    async (world) => {
      const runId = await world.run("see to it");
      await world.settled(runId);
      const [result] = resultsRead(await world.events(runId));
      expect(JSON.parse(result!.split("\n").slice(1, -1).join("\n"))).toMatchObject(form);
    },
  );
}

scenario(
  "[S1-12] [S1-14] [S2-52] [S2-53] the optional fields of a delegation reach the child",
  {
    agent: lead(),
    cast,
    script: roles({
      tester: turns({
        calls: [
          delegate("coder", "go", {
            context: { ticket: 7 },
            maxTurns: 3,
            success_criteria: "it is green",
            context_files: ["a.ts"],
          }),
        ],
      }),
    }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    await world.settled(runId);
    const [coder] = await childrenOf(world, runId);
    const [start] = payloadsOf(await world.events(coder!), "RUN_STARTED");
    expect(start).toMatchObject({
      input: { ticket: 7 },
      criteria: "it is green",
      contextFiles: ["a.ts"],
      limits: { maxTurns: 3 },
      ancestors: [{ runId, agent: "tester" }],
    });
    expect(openingOf(await world.events(coder!))).toContain(
      "go\n\nSuccess criteria: it is green\n\nFiles to look at: a.ts",
    );
  },
);

scenario(
  "[S4-6] [S4-20] if the agent's policy lacks `Finalize`, the delegate's answer is the run's answer",
  {
    agent: lead("policy: [Delegate]"),
    cast,
    script: roles({
      tester: turns({ text: "my own words" }, { calls: [delegate("coder")] }, { text: "mine again" }),
    }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    const { end } = await world.settled(runId);
    expect(end).toMatchObject({ status: "completed", summary: "coder is done" });
  },
);

scenario(
  "[S2-59] [S2-60] [D3] test counts are read from the test runner's output, even if a child ran the tests",
  {
    agent: lead(),
    cast: { coder: "tools: [Bash]", helper: "" },
    config: "permissions: { allow: [Bash] }\n",
    script: roles({
      tester: turns({ calls: [delegate("coder")] }),
      coder: turns({
        calls: [{ tool: "Bash", input: { command: "printf '# tests 3\\n# pass 2\\n# fail 1\\n'" } }],
      }),
    }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    await world.settled(runId);
    const [done] = payloadsOf(await world.events(runId), "RUN_COMPLETED");
    expect(done?.result).toMatchObject({ tests_run: 3, tests_passed: 2 });
  },
);

scenario(
  "[F20] [F21] two delegations with the same text start two children; one can fail while the other succeeds",
  {
    agent: parallel,
    cast,
    script: (() => {
      let calls = 0;
      return roles({
        tester: turns({ calls: [delegate("coder", "same"), delegate("coder", "same")] }),
        coder: () => (++calls === 1 ? { error: { status: 400, message: "no" } } : { text: "fine" }),
      });
    })(),
  },
  async (world) => {
    const runId = await world.run("see to it");
    expect((await world.settled(runId)).end?.status).toBe("completed");
    expect(new Set(await childrenOf(world, runId)).size).toBe(2);
    const statuses = resultsRead(await world.events(runId)).map(
      (text) => /"status": "(\w+)"/.exec(text)?.[1],
    );
    expect(new Set(statuses)).toEqual(new Set(["completed", "failed"]));
  },
);

scenario(
  "[F24] [36.1] if a child is quarantined, its parent says that it waits for the child, and continues when a person resumes the child",
  {
    agent: lead(),
    cast,
    idle: true,
    script: roles({ tester: turns({ calls: [delegate("coder")] }) }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    await world.drive(runId);
    const [coder] = await childrenOf(world, runId);
    const { store } = world.runtime;
    const lost = await store.leases.acquire(coder!, "lost");
    await store.leases.recordAcquisitions(coder!, lost!, 6);
    await world.restart();
    await world.drive(coder!);
    expect(await world.state(coder!)).toMatchObject({ waitingOn: { kind: "quarantine" } });
    await world.drive(runId);
    expect(await world.state(runId)).toMatchObject({
      status: "suspended",
      waitingOn: { kind: "child_hitl", blockers: [coder] },
    });
    await resumeRun(coder!, "ann", world.runtime.people);
    await world.drive(coder!);
    expect((await world.drive(runId)).end).toMatchObject({ status: "completed" });
    expect(resultsRead(await world.events(runId))[0]).not.toContain("quarantined");
  },
);

scenario(
  "[F25] when parallel children use up the tree's budget, no further call is made, and every run ends",
  {
    agent: parallel.replace("maxParallel: 2", "maxParallel: 5"),
    cast,
    config: "limits: { tree: { maxTokens: 40000 } }\n",
    script: roles({
      tester: turns({ calls: ["a", "b", "c", "d", "e"].map((task) => delegate("coder", task)) }),
      coder: ({ turn }) =>
        turn < 9 ? { calls: [look(`${turn}`)], usage: { input: 900, output: 100 } } : { text: "done" },
    }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    const { end } = await world.settled(runId);
    expect(end).toBeDefined();
    const { runs } = await world.runtime.store.runs.list({ root: runId });
    const spent = runs.reduce((sum, { usage }) => sum + usage.input + usage.output, 0);
    expect(spent).toBeLessThanOrEqual(40_000);
    expect(runs.some(({ stopReason }) => stopReason === "budget")).toBe(true);
    expect(runs.every(({ endedAt }) => endedAt !== undefined)).toBe(true);
  },
);
