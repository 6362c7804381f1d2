import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { z } from "zod";
import { effects } from "../../../test/support/oracle.ts";
import {
  charge,
  delegate,
  look,
  payloadsOf,
  roles,
  scenario,
  turns,
  typesOf,
} from "../../../test/support/scenario.ts";
import { defineTool } from "../../tools/tool.ts";
import { drive } from "../drive/drive.ts";
import { sendMessage } from "./messages.ts";
import { cancelRun, pauseRun, resumeRun } from "./person-commands.ts";

scenario(
  "[P7] a cancelled run that waits for a person ends, and its end says who cancelled it and why",
  { config: "permissions: { ask: [charge] }", script: turns({ calls: [charge("a")] }) },
  async (world) => {
    const runId = await world.run("charge");
    await world.seen(runId, "RUN_SUSPENDED");
    await cancelRun(runId, "ann", "wrong account", world.runtime.people);
    await world.seen(runId, "RUN_CANCELLED");
    const { end } = await world.state(runId);
    expect(end).toMatchObject({ status: "cancelled", stopReason: "user" });
    expect(end?.summary).toBe("Cancelled by ann: wrong account");
    expect(effects(world.oracle)).toEqual([]);
  },
);

scenario(
  "[P7] a model call under way is stopped without waiting for its answer",
  { script: () => ({ text: "too late", delay: 3_600_000 }) },
  async (world) => {
    const runId = await world.run("think");
    await world.seen(runId, "MODEL_CALL_STARTED");
    await cancelRun(runId, "ann", undefined, world.runtime.people);
    await world.seen(runId, "RUN_CANCELLED");
    const events = await world.events(runId);
    expect(payloadsOf(events, "MODEL_CALL_FAILED")).toMatchObject([{ cause: "interrupted" }]);
    expect(payloadsOf(events, "MODEL_CALL_STARTED")).toHaveLength(1);
  },
);

let asked = Promise.withResolvers<void>();
scenario(
  "[P3] [B2] a model call interrupted by a stuck check, a shutdown or a cancel is charged for what was sent and received",
  {
    idle: true,
    agent: "limits: { maxTokens: 100000 }",
    script() {
      asked.resolve();
      return { text: "too late", delay: 3_600_000 };
    },
  },
  async (world) => {
    const { parts, people } = world.runtime;
    parts.drainMs = 0;
    const runId = await world.run("think");
    const cut = async (by: (shutDown: () => void) => unknown) => {
      asked = Promise.withResolvers();
      const stopping = new AbortController();
      const driven = drive(runId, parts, stopping.signal);
      await asked.promise;
      await by(() => stopping.abort());
      await driven;
    };
    await cut(() => parts.drives.get(runId)!.interrupt("stuck"));
    await cut((shutDown) => shutDown());
    await cut(async () => {
      await cancelRun(runId, "ann", undefined, people);
      parts.drives.get(runId)!.interrupt("cancel");
    });
    const events = await world.events(runId);
    const failures = payloadsOf(events, "MODEL_CALL_FAILED");
    // The input includes the system prompt and the tools, which were sent too.
    const input = failures[0]!.usage!.input;
    expect(input).toBeGreaterThan(Math.ceil("think".length / 4));
    expect(failures.map(({ usage }) => usage)).toEqual(Array(3).fill({ input, output: 0 }));
    expect(failures.map(({ message }) => message)[0]).toContain("may have been paid for");
    const { end, usage } = await world.state(runId);
    expect(end?.status).toBe("cancelled");
    expect(usage).toMatchObject({ wastedCalls: 3, modelCalls: 0 });
  },
);

let stopped: string | undefined;
scenario(
  "[P7] a cancel stops the running tool, the tool's outcome is recorded, and nothing starts afterwards",
  {
    tools: [
      defineTool({
        name: "wait",
        description: "Waits to be stopped.",
        input: z.object({}),
        effect: "idempotent",
        reaches: [],
        execute: (_, { signal, progress }) =>
          new Promise((resolve) => {
            signal.addEventListener("abort", () => {
              stopped = String(signal.reason);
              resolve({ output: "stopped half-way", isError: true });
            });
            progress?.("waiting");
          }),
      }),
    ],
    script: turns({ calls: [{ tool: "wait" }, { tool: "wait" }] }),
  },
  async (world) => {
    const waiting = new Promise<void>((resolve) => {
      world.runtime.onDelta((delta) => delta.type === "tool-output.delta" && resolve());
    });
    const runId = await world.run("wait");
    await waiting;
    await cancelRun(runId, "ann", undefined, world.runtime.people);
    await world.seen(runId, "RUN_CANCELLED");
    const events = await world.events(runId);
    expect(stopped).toContain("cancelled");
    expect(payloadsOf(events, "TOOL_STARTED")).toHaveLength(1);
    expect(payloadsOf(events, "TOOL_RESULT")).toMatchObject([
      { output: expect.stringMatching(/^stopped half-way\nIt was stopped from outside/) },
    ]);
  },
);

let beforeStart = async (): Promise<void> => {};
scenario(
  "[P7] if a cancel arrives right before the start of a tool is recorded, the tool does not start",
  {
    idle: true,
    script: turns({ calls: [charge("a")] }),
    intercept: async (append, send) => {
      if (append.events.some((event) => event.type === "TOOL_STARTED")) await beforeStart();
      return send();
    },
  },
  async (world) => {
    const runId = await world.run("charge");
    beforeStart = async () => void (await cancelRun(runId, "ann", undefined, world.runtime.people));
    expect((await world.drive(runId)).end?.status).toBe("cancelled");
    expect(effects(world.oracle)).toEqual([]);
    expect(typesOf(await world.events(runId))).not.toContain("TOOL_STARTED");
  },
);

scenario(
  "[P7] a run that is cancelled before its first step makes no model call; a second cancel changes nothing",
  { idle: true, script: turns() },
  async (world) => {
    const runId = await world.run("never");
    const { people } = world.runtime;
    expect(await cancelRun(runId, "ann", undefined, people)).toEqual({ cancelled: [runId] });
    expect(await cancelRun(runId, "bob", undefined, people), "it is being cancelled").toEqual({
      cancelled: [],
    });
    await expect(sendMessage(runId, "wait", "bob", people)).rejects.toMatchObject({ code: "RUN_TERMINAL" });
    await expect(pauseRun(runId, "bob", people)).rejects.toMatchObject({ code: "RUN_TERMINAL" });
    await world.drive(runId);
    expect(typesOf(await world.events(runId))).toEqual(["RUN_STARTED", "CANCEL_REQUESTED", "RUN_CANCELLED"]);
    await expect(cancelRun(runId, "ann", undefined, people)).rejects.toMatchObject({ code: "RUN_TERMINAL" });
    await expect(cancelRun("r-none", "ann", undefined, people)).rejects.toMatchObject({ code: "NOT_FOUND" });
  },
);

scenario(
  "a paused run starts nothing until it is resumed, even after a restart",
  { idle: true, script: turns({ calls: [look("a")] }) },
  async (world) => {
    const runId = await world.run("look");
    await pauseRun(runId, "ann", world.runtime.people);
    expect(await world.drive(runId)).toMatchObject({ status: "suspended", waitingOn: { kind: "paused" } });
    await world.restart();
    await sendMessage(runId, "still there?", "ann", world.runtime.people);
    expect(await world.drive(runId)).toMatchObject({ modelCalls: 0 });
    await resumeRun(runId, "ann", world.runtime.people);
    await expect(resumeRun(runId, "ann", world.runtime.people)).rejects.toMatchObject({ code: "CONFLICT" });
    expect((await world.drive(runId)).end?.status).toBe("completed");
  },
);

scenario("[P7] a cancel ends a paused run", { idle: true, script: turns() }, async (world) => {
  const runId = await world.run("look");
  await pauseRun(runId, "ann", world.runtime.people);
  await world.drive(runId);
  await cancelRun(runId, "ann", undefined, world.runtime.people);
  expect((await world.drive(runId)).end?.status).toBe("cancelled");
});

/** A sleep time that no other process uses. */
const SLEEP = `sleep 6${process.pid}.${Date.now()}`;

scenario(
  "[F23] [S4-18] a cancel ends all runs of a tree, even those that wait for a person or sleep in Bash, and leaves no process",
  {
    agent: "agents: [coder]\ntools: []\ndelegation: { mode: parallel, maxParallel: 2 }",
    cast: { coder: "agents: [helper]\ntools: [charge]", helper: "tools: [Bash]" },
    config: "permissions: { allow: [Bash], ask: [charge] }\n",
    script: roles({
      tester: turns({ calls: [delegate("coder", "asks"), delegate("coder", "sleeps")] }),
      coder: ({ task, turn }) => {
        if (turn > 1) return { text: "done" };
        return { calls: [task === "asks" ? charge("x") : delegate("helper")] };
      },
      helper: turns({ calls: [{ tool: "Bash", input: { command: `echo yes > begun; ${SLEEP}` } }] }),
    }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    const file = join(world.folder, "begun");
    const waiting = new Promise<void>((resolve) => {
      const look = (): void => {
        if (existsSync(file) && readFileSync(file, "utf8").trim() !== "") resolve();
        else setTimeout(look, 20);
      };
      look();
    });
    await Promise.all([waiting, world.settled(runId)]);
    expect(isRunning(SLEEP)).toBe(true);
    await cancelRun(runId, "ann", undefined, world.runtime.people);
    await world.seen(runId, "RUN_CANCELLED");
    const { runs } = await world.runtime.store.runs.list({ root: runId });
    expect(runs.map(({ status }) => status)).toEqual(Array(4).fill("cancelled"));
    expect(isRunning(SLEEP)).toBe(false);
    expect(await world.runtime.store.inbox.openItems({ root: runId })).toEqual([]);
  },
);

/** Finds the process by its command, because a command has its own pids in a sandbox. */
function isRunning(command: string): boolean {
  const lines = execFileSync("ps", ["-axo", "stat=,args="], { encoding: "utf8" }).split("\n");
  return lines.some((line) => line.includes(command) && !line.startsWith("Z"));
}
