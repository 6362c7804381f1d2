import { expect } from "vitest";
import {
  charge,
  look,
  payloadsOf,
  promptOf,
  resultsRead,
  scenario,
  turns,
  typesOf,
} from "../../../test/support/scenario.ts";
import { sendMessage } from "../commands/messages.ts";
import type { LoopParts } from "../parts.ts";
import { drive } from "./drive.ts";

scenario(
  "[P11] an answer of plain text ends the run and becomes its summary",
  { idle: true, script: turns({ text: " All good. " }) },
  async (world) => {
    const runId = await world.run("look after it");
    const { end } = await world.drive(runId);
    expect(end).toMatchObject({ status: "completed", stopReason: "final_answer", summary: "All good." });
    expect(typesOf(await world.events(runId))).toEqual([
      "RUN_STARTED",
      "MODEL_CALL_STARTED",
      "AGENT_THOUGHT",
      "RUN_COMPLETED",
    ]);
  },
);

scenario(
  "[P11] final_report ends the run with all of its fields, and gets a result like any other call",
  {
    idle: true,
    script: turns(
      { calls: [look("a")] },
      {
        report: { summary: "found it", details: "in a", warnings: ["slow"], suggestions: ["speed it up"] },
      },
    ),
  },
  async (world) => {
    const runId = await world.run("find it");
    await world.drive(runId);
    const events = await world.events(runId);
    const [end] = payloadsOf(events, "RUN_COMPLETED");
    expect(end?.result).toMatchObject({
      status: "completed",
      summary: "found it",
      details: "in a",
      warnings: ["slow"],
      suggestions: ["speed it up"],
      iteration_count: 2,
    });
    expect(resultsRead(events)).toEqual(["look a: done", "Received."]);
  },
);

scenario(
  "a report that comes together with other calls is deferred until the model has seen their results",
  {
    idle: true,
    script: turns(
      { calls: [look("a"), { tool: "final_report", input: { summary: "too early" } }] },
      { report: { summary: "now" } },
    ),
  },
  async (world) => {
    const runId = await world.run("find it");
    const { end } = await world.drive(runId);
    expect(end?.summary).toBe("now");
    const [, put] = payloadsOf(await world.events(runId), "TOOL_RESULT").toSorted((a, b) =>
      a.toolCallId.localeCompare(b.toolCallId),
    );
    expect(put).toMatchObject({ outcome: "deferred", output: expect.stringContaining("alone") });
  },
);

scenario(
  "an invalid report is returned with the reason, and can be repaired",
  {
    idle: true,
    script: turns({ calls: [{ tool: "final_report", input: { details: 3 } }] }, (seen) => ({
      report: { summary: seen.includes("does not fit") ? "repaired" : seen },
    })),
  },
  async (world) => {
    const { end } = await world.drive(await world.run("report"));
    expect(end).toMatchObject({ status: "completed", summary: "repaired" });
  },
);

const NUMBER = "output: { type: object, properties: { count: { type: number } }, required: [count] }";

scenario(
  "[P11] output that fits the agent's schema becomes the run's output",
  {
    idle: true,
    agent: NUMBER,
    script: turns(
      { calls: [{ tool: "final_report", input: { summary: "counted", output: { count: "two" } } }] },
      { report: { summary: "counted", output: { count: 2 } } },
    ),
  },
  async (world) => {
    const runId = await world.run("count");
    await world.drive(runId);
    const events = await world.events(runId);
    expect(payloadsOf(events, "RUN_COMPLETED")[0]).toMatchObject({
      output: { count: 2 },
      result: { output: { count: 2 } },
    });
    expect(resultsRead(events)[0]).toContain("output");
  },
);

scenario(
  "[P11] if the output still does not fit the schema after one repair turn, the run fails as invalid_output",
  {
    idle: true,
    agent: NUMBER,
    script: () => ({ calls: [{ tool: "final_report", input: { summary: "x", output: "none" } }] }),
  },
  async (world) => {
    const { end, turns: taken } = await world.drive(await world.run("count"));
    expect(end).toMatchObject({ status: "failed", stopReason: "invalid_output" });
    expect(taken).toBe(2);
  },
);

scenario(
  "[P11] text in place of output is rejected once; the second time, the run fails as invalid_output",
  { idle: true, agent: NUMBER, script: () => ({ text: "two" }) },
  async (world) => {
    const runId = await world.run("count");
    const { end, turns: taken } = await world.drive(runId);
    expect(end).toMatchObject({ status: "failed", stopReason: "invalid_output" });
    expect(taken).toBe(2);
    expect(payloadsOf(await world.events(runId), "CONTEXT_ADDED")[0]?.text).toContain("final_report");
  },
);

scenario(
  "[F45] an empty answer is followed by one more model call",
  {
    idle: true,
    script: ({ turn, lastUser }) =>
      turn === 1 ? { text: "" } : { text: lastUser?.includes("empty") ? "sorry" : "not told" },
  },
  async (world) => {
    const { end } = await world.drive(await world.run("say something"));
    expect(end?.summary).toBe("sorry");
  },
);

scenario(
  "[F45] after two empty answers in a row, the run stops for a person",
  { idle: true, script: turns({ text: "" }, { text: "  " }, { text: "at last" }) },
  async (world) => {
    const runId = await world.run("say something");
    const state = await world.drive(runId);
    expect(state).toMatchObject({ status: "suspended", waitingOn: { kind: "loop", items: ["loop/1"] } });
    expect(state.waitingOn?.detail).toContain("nothing");
  },
);

scenario(
  "[J5] ten steps of reads cost at most two commits each, plus a few at the start and the end",
  { idle: true, script: ({ turn }) => (turn <= 10 ? { calls: [look(`n${turn}`)] } : { text: "done" }) },
  async (world) => {
    let commits = 0;
    const runId = await world.run("read on");
    world.runtime.store.journal.onCommit(() => commits++);
    const { end } = await world.drive(runId);
    expect(end?.status).toBe("completed");
    expect(commits).toBeLessThanOrEqual(2 * 10 + 3);
  },
);

for (const [how, last] of [
  ["text", { text: "done" }],
  ["a report", { report: { summary: "done" } }],
] as const) {
  let meanwhile = async (): Promise<void> => {};
  scenario(
    `[J11] a message during the last model call is seen before the run completes with ${how}`,
    {
      idle: true,
      script: ({ lastUser }) =>
        lastUser === "and look at b" ? { report: { summary: "looked at b too" } } : last,
      intercept: async (append, send) => {
        const answer = await send();
        if (append.events.some((event) => event.type === "MODEL_CALL_STARTED")) await meanwhile();
        return answer;
      },
    },
    async (world) => {
      const runId = await world.run("look at a");
      meanwhile = async () => {
        meanwhile = async () => {};
        await sendMessage(runId, "and look at b", "ann", world.runtime.people);
      };
      const { end } = await world.drive(runId);
      expect(end).toMatchObject({ status: "completed", summary: "looked at b too" });
      const texts = promptOf(await world.events(runId)).map((message) => message.role);
      expect(texts.indexOf("assistant"), "after the thought that had not seen it").toBeLessThan(
        texts.lastIndexOf("user"),
      );
    },
  );
}

scenario(
  "[J11] a message to a run that has ended is refused",
  { idle: true, script: turns({ text: "done" }) },
  async (world) => {
    const runId = await world.run("be quick");
    await world.drive(runId);
    await expect(sendMessage(runId, "wait", "ann", world.runtime.people)).rejects.toMatchObject({
      code: "RUN_TERMINAL",
    });
    await expect(sendMessage("r-none", "wait", "ann", world.runtime.people)).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  },
);

scenario(
  "the model reads a message before its next turn, after the results of the open calls",
  {
    idle: true,
    config: "permissions: { ask: [charge] }",
    script: turns({ calls: [charge("a")] }, (seen) => ({ text: seen })),
  },
  async (world) => {
    const runId = await world.run("charge it");
    await world.drive(runId);
    await sendMessage(runId, "hurry", "ann", world.runtime.people);
    const state = await world.drive(runId);
    expect(state, "a message never cancels an approval").toMatchObject({
      status: "suspended",
      waitingOn: { kind: "approval", items: ["m1.0"] },
    });
  },
);

scenario(
  "[E6] a machine that lacks a run's folder starts nothing and leaves the run to a machine that has the folder",
  { idle: true, script: turns({ calls: [charge("a")] }, { text: "done" }) },
  async (world) => {
    const { parts, store } = world.runtime;
    const worker = (name: string, has: boolean): LoopParts =>
      Object.assign(Object.create(parts) as LoopParts, {
        ...{ worker: name, host: name, skippedRuns: new Map() },
        hasFolder: async (path: string) => has && path === world.folder,
      });
    const runId = await world.run("pay");
    const bare = worker("bare", false);
    const signal = new AbortController().signal;
    for (let i = 0; i < 7; i++) {
      bare.skippedRuns.clear();
      await drive(runId, bare, signal);
    }
    await drive(runId, bare, signal);
    const events = await world.events(runId);
    expect(typesOf(events), "said once, however often it looks").toEqual(["RUN_STARTED", "SYSTEM_ERROR"]);
    expect(payloadsOf(events, "SYSTEM_ERROR")[0]).toMatchObject({
      code: "FOLDER_MISSING",
      message: expect.stringContaining(`${world.folder}, in which the run works, is not there on bare`),
    });
    expect(await store.leases.due(parts.clock.now(), 10)).toEqual([runId]);
    await drive(runId, worker("full", true), signal);
    expect((await world.state(runId)).status).toBe("completed");
  },
);
