import { expect, vi } from "vitest";
import { delegate, roles, scenario, turns } from "../../../test/support/scenario.ts";
import { cancelRun } from "../../loop/commands/person-commands.ts";
import type { AgentEventName } from "./agent-events.ts";

const NAMES: AgentEventName[] = ["agent:spawned", "agent:completed", "agent:failed", "agent:message"];

scenario(
  "[S1-36] [S1-37] [S1-39] listeners are notified of the start, the messages and the end of every run",
  {
    agent: "agents: [coder]\ncontext: summary",
    cast: { coder: "" },
    script: roles({
      tester: ({ turn, purpose }) =>
        purpose === "brief"
          ? { text: "in short" }
          : turn === 1
            ? { text: "Over to you.", calls: [delegate("coder")] }
            : { text: "all done" },
    }),
  },
  async (world) => {
    const told: { name: string; payload: { agentId: string } & Record<string, unknown> }[] = [];
    const stops = NAMES.map((name) =>
      world.runtime.on(name, (payload) => {
        told.push({ name, payload: payload as never });
      }),
    );
    const runId = await world.run("build");
    await world.settled(runId);
    const child = told.find(({ payload }) => payload["parentId"] === runId)!.payload.agentId;
    const of = (agentId: string) => told.filter(({ payload }) => payload.agentId === agentId);
    expect(of(runId)).toMatchObject([
      { name: "agent:spawned", payload: { agentId: runId, parentId: undefined, type: "tester" } },
      { name: "agent:message", payload: { message: { role: "assistant" } } },
      { name: "agent:message", payload: { message: { content: [{ type: "text", text: "all done" }] } } },
      { name: "agent:completed", payload: { result: { status: "completed", summary: "all done" } } },
    ]);
    expect(of(child)).toMatchObject([
      { name: "agent:spawned", payload: { parentId: runId, type: "coder" } },
      { name: "agent:message" },
      { name: "agent:completed", payload: { result: { summary: "coder is done" } } },
    ]);
    for (const stop of stops) stop();
    const before = told.length;
    await world.settled(await world.run("again"));
    expect(told).toHaveLength(before);
  },
);

scenario(
  "[S1-38] a failed or cancelled run is reported, with an error that says how it ended",
  {
    config: "permissions: { ask: [charge] }",
    script: turns({ calls: [{ tool: "charge", input: { what: "a" } }] }),
    agent: "limits: { maxTurns: 1 }",
    cast: { waiter: "" },
  },
  async (world) => {
    const failed: Error[] = [];
    world.runtime.on("agent:failed", ({ error }) => failed.push(error));
    await world.settled(await world.run("fail"));
    const runId = await world.run("wait", { agent: "waiter" });
    await world.settled(runId);
    await cancelRun(runId, "ann", "enough", world.runtime.people);
    await world.settled(runId);
    expect(failed.map(({ message }) => message)).toEqual([
      expect.stringContaining("maxTurns (1) was reached"),
      "Cancelled by ann: enough",
    ]);
    expect(failed.every((error) => error instanceof Error)).toBe(true);
  },
);

const late: string[] = [];

scenario(
  "a listener whose promise rejects is reported like a listener that throws",
  { script: turns({ text: "done" }), onProblem: ({ message }) => late.push(message) },
  async (world) => {
    world.runtime.on("agent:completed", () => Promise.reject(new Error("mine")) as never);
    await world.settled(await world.run("go"));
    await vi.waitFor(() => expect(late).toEqual(["A listener to agent:completed failed; the run goes on."]));
  },
);

const problems: string[] = [];

scenario(
  "a listener that throws affects neither the run nor other listeners",
  { script: turns({ text: "done" }), onProblem: ({ message }) => problems.push(message) },
  async (world) => {
    const heard: string[] = [];
    world.runtime.on("agent:completed", () => {
      throw new Error("mine");
    });
    world.runtime.on("agent:completed", ({ agentId }) => heard.push(agentId));
    const runId = await world.run("go");
    expect((await world.settled(runId)).end?.status).toBe("completed");
    expect(heard).toEqual([runId]);
    expect(problems).toEqual(["A listener to agent:completed failed; the run goes on."]);
  },
);
