import { expect } from "vitest";
import {
  delegate,
  familyOf,
  openingOf,
  payloadsOf,
  promptOf,
  resultsRead,
  roles,
  scenario,
  turns,
  typesOf,
  watchOffers,
} from "../../test/support/scenario.ts";
import { openApprovalIds, type World } from "../../test/support/world.ts";
import { fakeClock } from "../clock.ts";
import { decideApproval } from "../loop/commands/person-commands.ts";

const route = (agent: string, more: object = {}) => ({
  tool: "route_to",
  input: { agent, reason: "it says so", ...more },
});
const desk = (more = "") => `router: { destinations: [legal, billing]${more} }`;
const cast = { legal: "", billing: "", support: "" };

/** How a run ended, and which agents took part. */
async function outcome(world: World, runId: string) {
  await world.seen(runId, "RUN_COMPLETED", "RUN_FAILED");
  const { end } = await world.state(runId);
  const family = await familyOf(world, runId);
  return { ...end, family: family.map(({ agent, trigger }) => `${agent} ${trigger}`) };
}

scenario(
  "[S3-21] [S3-22] [S3-23] [S3-25] [S3-26] [S3-27] [S3-64] the chosen agent gets the unchanged request, and its answer is returned",
  { agent: desk(), cast, script: roles({ tester: turns({ calls: [route("billing")] }) }) },
  async (world) => {
    const runId = await world.run("my invoice", { input: { customer: 7 }, contextFiles: ["invoice.pdf"] });
    expect(await outcome(world, runId)).toMatchObject({
      status: "completed",
      stopReason: "routed",
      summary: "billing is done",
      family: ["tester user", "billing route"],
    });
    const events = await world.events(runId);
    expect(typesOf(events)).toEqual([
      "RUN_STARTED",
      "MODEL_CALL_STARTED",
      "AGENT_THOUGHT",
      "TOOL_PROPOSED",
      "CHILD_RUN_STARTED",
      "RUN_SUSPENDED",
      "CHILD_RUN_COMPLETED",
      "RUN_COMPLETED",
    ]);
    const [, billing] = await familyOf(world, runId);
    const child = await world.events(billing!.id);
    expect(payloadsOf(child, "RUN_STARTED")[0]).toMatchObject({ task: "my invoice", reason: "it says so" });
    expect(openingOf(child)).toBe(
      'my invoice\n\nFiles to look at: invoice.pdf\n\nInput:\n{\n  "customer": 7\n}',
    );
  },
);

scenario(
  "[S3-23] [S3-24] [S3-28] a router is offered the tool `route_to` and no other tool",
  { agent: desk(), cast, script: roles({}), idle: true },
  async (world) => {
    const offers = watchOffers(world, turns({ calls: [route("legal")] }));
    await world.drive(await world.run("a contract"));
    expect(offers).toEqual([["route_to"]]);
  },
);

scenario(
  "[S3-23] a router's message is added to the request and marked as the router's text",
  {
    agent: desk(),
    cast,
    script: roles({ tester: turns({ calls: [route("legal", { message: "urgent" })] }) }),
  },
  async (world) => {
    const runId = await world.run("a contract");
    await outcome(world, runId);
    const [, legal] = await familyOf(world, runId);
    expect(openingOf(await world.events(legal!.id))).toBe(
      `## ORIGINAL USER REQUEST\n\na contract\n\n## MESSAGE FROM tester\n\n<untrusted source="tester ${runId}">\nurgent\n</untrusted>`,
    );
  },
);

scenario(
  "[F28] [S3-64] a router that names an unknown destination gets one correction, with the known names",
  {
    agent: desk(),
    cast,
    script: roles({ tester: turns({ calls: [route("sales")] }, { calls: [route("legal")] }) }),
  },
  async (world) => {
    const runId = await world.run("x");
    expect(await outcome(world, runId)).toMatchObject({ summary: "legal is done" });
    expect(resultsRead(await world.events(runId))[0]).toBe(
      'There is no destination "sales". Choose one of: legal, billing.',
    );
  },
);

scenario(
  "[F28] [S3-54] after a second wrong choice, the fallback agent gets the work",
  {
    agent: desk(", fallback: support"),
    cast,
    script: roles({ tester: turns({ calls: [route("sales")] }, { text: "I do not know." }) }),
  },
  async (world) => {
    expect(await outcome(world, await world.run("x"))).toMatchObject({
      stopReason: "routed",
      summary: "support is done",
      family: ["tester user", "support route"],
    });
  },
);

scenario(
  "[F28] without a fallback agent, the run fails, names the router, and starts no agent",
  {
    agent: desk(),
    cast,
    script: roles({ tester: turns({ text: "Hm." }, { calls: [route("support")] }) }),
  },
  async (world) => {
    const runId = await world.run("x");
    expect(await outcome(world, runId)).toMatchObject({
      status: "failed",
      summary: 'The router tester chose "support", which it may not, and it has no fallback.',
      family: ["tester user"],
    });
    expect(JSON.stringify(promptOf(await world.events(runId)))).toContain(
      "You only choose who does the work: call `route_to` with one of legal, billing.",
    );
  },
);

scenario(
  "[F28] [P11] a fallback that cannot be started is reported with the reason",
  {
    agent: `${desk(", fallback: support")}\nlimits: { maxChildren: 0 }`,
    cast,
    script: roles({ tester: () => ({ calls: [route("legal")] }) }),
  },
  async (world) => {
    const { summary } = await outcome(world, await world.run("x"));
    expect(summary).toMatch(
      /its fallback support could not be started: this run has reached its limit of started agents \(maxChildren 0\)\.$/,
    );
  },
);

scenario(
  "[F28] if a rule forbids the chosen agent, the fallback agent gets the work",
  {
    agent: desk(", fallback: support"),
    cast,
    config: "permissions: { deny: [delegate(legal)] }",
    script: roles({ tester: turns({ calls: [route("legal")] }, { calls: [route("legal")] }) }),
  },
  async (world) => {
    expect(await outcome(world, await world.run("x"))).toMatchObject({ summary: "support is done" });
  },
);

scenario(
  "[S3-52] if a router makes several choices in one turn, only the first counts",
  {
    agent: desk(),
    cast,
    script: roles({ tester: turns({ calls: [route("billing"), route("legal")] }) }),
  },
  async (world) => {
    expect(await outcome(world, await world.run("x"))).toMatchObject({
      summary: "billing is done",
      family: ["tester user", "billing route"],
    });
  },
);

scenario(
  "[H3] [S3-52] the first choice counts even if the file allows parallel delegation",
  {
    agent: `${desk()}\ndelegation: { mode: parallel }`,
    cast,
    script: roles({ tester: turns({ calls: [route("legal"), route("billing")] }) }),
  },
  async (world) => {
    const { family } = await outcome(world, await world.run("my invoice"));
    expect(family).toEqual(["tester user", "legal route"]);
  },
);

scenario(
  "[H3] [S3-24] a router cannot start an agent with `delegate`",
  {
    agent: desk(", fallback: support"),
    cast,
    script: roles({ tester: () => ({ calls: [delegate("legal", "another task")] }) }),
  },
  async (world) => {
    const runId = await world.run("my invoice");
    await world.seen(runId, "TOOL_RESULT");
    expect(resultsRead(await world.events(runId))[0]).toBe(
      'There is no tool "delegate" for you. You have: route_to.',
    );
    await world.seen(runId, "CHILD_RUN_STARTED");
    const family = await familyOf(world, runId);
    expect(family.map(({ agent, trigger }) => `${agent} ${trigger}`)).toEqual([
      "tester user",
      "support route",
    ]);
  },
);

scenario(
  "[H3] [B3] [S1-68] `route_to` is refused in every turn of an agent that is not a router",
  {
    agent: "agents: [legal]\nmaxTurns: 2",
    cast,
    script: roles({ tester: turns({ calls: [route("legal")] }, { calls: [route("legal")] }) }),
  },
  async (world) => {
    const runId = await world.run("my invoice");
    expect(await outcome(world, runId)).toMatchObject({ stopReason: "max_turns", family: ["tester user"] });
    expect(resultsRead(await world.events(runId))[0]).toMatch(/^There is no tool "route_to" for you\./);
  },
);

scenario(
  "[S3-22] with `allowAnswer` a router can answer a trivial request itself",
  {
    agent: desk(", allowAnswer: true"),
    cast,
    script: roles({ tester: turns({ text: "We open at nine." }) }),
  },
  async (world) => {
    expect(await outcome(world, await world.run("when?"))).toMatchObject({
      stopReason: "final_answer",
      summary: "We open at nine.",
      family: ["tester user"],
    });
  },
);

scenario(
  "[S3-22] without `allowAnswer`, a router cannot answer with a report",
  {
    agent: desk(),
    cast,
    script: roles({ tester: turns({ report: { summary: "42" } }, { calls: [route("legal")] }) }),
  },
  async (world) => {
    expect(await outcome(world, await world.run("x"))).toMatchObject({ summary: "legal is done" });
  },
);

scenario(
  "[B3] a router can still choose in its forced last turn",
  {
    agent: `${desk()}\nmaxTurns: 1`,
    cast,
    script: roles({ tester: turns({ calls: [route("billing")] }) }),
  },
  async (world) => {
    expect(await outcome(world, await world.run("x"))).toMatchObject({
      status: "completed",
      summary: "billing is done",
    });
  },
);

scenario(
  "[S3-64] if the chosen agent fails, the run fails and names that agent",
  {
    agent: desk(", fallback: support"),
    cast: { ...cast, legal: "output: { type: object }" },
    script: roles({
      tester: turns({ calls: [route("legal")] }),
      legal: turns({ text: "words" }, { text: "words" }),
    }),
  },
  async (world) => {
    expect(await outcome(world, await world.run("x"))).toMatchObject({
      status: "failed",
      stopReason: "routed",
      summary: "Stage legal failed: The agent gave no output of the form asked for.",
    });
  },
);

scenario(
  "[P5] if a rule requires approval before an agent is started, the choice waits for a person",
  {
    agent: desk(),
    cast,
    config: "permissions: { ask: [delegate(legal)] }",
    script: roles({ tester: turns({ calls: [route("legal")] }) }),
  },
  async (world) => {
    const runId = await world.run("x");
    expect((await world.settled(runId)).waitingOn).toMatchObject({ kind: "approval" });
    const [item] = await openApprovalIds(world, runId);
    await decideApproval(item!, { decision: "approve" }, "maria", world.runtime.people);
    expect(await outcome(world, runId)).toMatchObject({ summary: "legal is done" });
  },
);

scenario(
  "[S3-67] router and handoff: the router's own handoff runs last, on the chosen agent's answer",
  {
    agent: `${desk()}\nhandoff: support`,
    cast,
    script: roles({ tester: turns({ calls: [route("legal")] }) }),
  },
  async (world) => {
    const runId = await world.run("a contract");
    expect(await outcome(world, runId)).toMatchObject({
      stopReason: "handed_off",
      summary: "support is done",
      family: ["tester user", "legal route", "support handoff"],
    });
    const [, , support] = await familyOf(world, runId);
    expect(openingOf(await world.events(support!.id))).toContain("legal is done");
  },
);

const clock = fakeClock();

scenario(
  "[F27] [S3-67] an advisor that is slow to stop does not delay the choice",
  {
    agent: `${desk()}\nadvisors: { agents: [support], require: 0, timeout: 5m }`,
    cast,
    clock,
    idle: true,
    script: roles({ tester: turns({ calls: [route("billing")] }) }),
  },
  async (world) => {
    const runId = await world.run("my invoice");
    await world.drive(runId);
    clock.advance(5 * 60_000);
    await world.drive(runId);
    const [, support, billing] = await familyOf(world, runId);
    expect(support).toMatchObject({ agent: "support", endedAt: undefined });
    expect(billing).toMatchObject({ agent: "billing", trigger: "route" });
    await world.drive(support!.id);
    await world.drive(billing!.id);
    expect((await world.drive(runId)).end).toMatchObject({ status: "completed", stopReason: "routed" });
  },
);

scenario(
  "[S3-23] [H1] an agent that is not a router has no `route_to`, so it cannot avoid the depth limit",
  {
    agent: "agents: [billing]",
    cast,
    script: roles({ tester: turns({ calls: [route("billing")] }, { text: "myself, then" }) }),
  },
  async (world) => {
    const runId = await world.run("my invoice");
    expect(await outcome(world, runId)).toMatchObject({ summary: "myself, then", family: ["tester user"] });
    expect(resultsRead(await world.events(runId))[0]).toContain('no tool "route_to" for you');
  },
);

scenario(
  "[S3-23] [F28] a router that delegates instead of choosing is told which tool it can use",
  {
    agent: desk(),
    cast,
    script: roles({
      tester: turns(
        { calls: [{ tool: "delegate", input: { agent: "billing", task: "do it" } }] },
        { calls: [route("billing")] },
      ),
    }),
  },
  async (world) => {
    const runId = await world.run("my invoice");
    expect(await outcome(world, runId)).toMatchObject({
      stopReason: "routed",
      family: ["tester user", "billing route"],
    });
    expect(payloadsOf(await world.events(runId), "TOOL_RESULT")).toMatchObject([
      { outcome: "denied", output: 'There is no tool "delegate" for you. You have: route_to.' },
    ]);
  },
);
