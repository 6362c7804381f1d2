// Attacks on P12: an agent tries to avoid a deny rule through another agent, a message, a person's edit or another spelling.

import { expect } from "vitest";
import { effects } from "../../../test/support/oracle.ts";
import {
  charge,
  delegate,
  payloadsOf,
  resultsRead,
  roles,
  scenario,
  turns,
} from "../../../test/support/scenario.ts";
import { decideApproval } from "../commands/person-commands.ts";

const mail = (to: string) => ({ tool: "send_message", input: { to, message: "charge it" } });

scenario(
  "[P12] a run that handles a message inherits the restrictions of the sender",
  {
    agent: "tools: [send_message]\npermissions: { deny: [charge] }",
    cast: { worker: "tools: [charge]" },
    config: "permissions: { allow: [charge] }\n",
    script: roles({ tester: turns({ calls: [mail("worker")] }), worker: turns({ calls: [charge("x")] }) }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    await world.settled(runId);
    const [sent] = payloadsOf(await world.events(runId), "TOOL_RESULT");
    const { run_id: other } = sent!.output as { run_id: string };
    await world.settled(other);
    expect(resultsRead(await world.events(other))[0]).toBe(
      "Not allowed (run deny charge). Do it another way.",
    );
    expect(effects(world.oracle)).toEqual([]);
  },
);

scenario(
  "[P12] an agent that only people can start gets no messages from other agents",
  {
    agent: "tools: [send_message]",
    cast: { worker: "", hidden: "delegable: false" },
    config: "permissions: { deny: ['send_message(worker)'] }\n",
    script: roles({ tester: turns({ calls: [mail("hidden")] }) }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    await world.settled(runId);
    expect(resultsRead(await world.events(runId))[0]).toBe("Not sent: hidden is for people only.");
  },
);

scenario(
  "[P12] if the project denies send_message, the message is not sent",
  {
    agent: "tools: [send_message]",
    cast: { worker: "" },
    config: "permissions: { deny: [send_message] }\n",
    script: roles({ tester: turns({ calls: [mail("worker")] }) }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    await world.settled(runId);
    expect(resultsRead(await world.events(runId))[0]).toMatch(/^Not allowed \(project deny send_message\)/);
  },
);

scenario(
  "[D5] a run that a message starts counts against the run limit of the sender's tree",
  {
    agent: "tools: [send_message]",
    cast: { a: "", b: "", c: "" },
    config: "limits: { tree: { maxRuns: 2 } }\n",
    script: roles({ tester: turns({ calls: [mail("a"), mail("b"), mail("c")] }) }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    await world.settled(runId);
    const results = payloadsOf(await world.events(runId), "TOOL_RESULT").map(
      ({ isError = false }) => isError,
    );
    expect(results).toEqual([false, true, true]);
  },
);

scenario(
  "[D5] a child inherits the hop count of the message that started its parent",
  {
    agent: "tools: [send_message]",
    cast: { worker: "agents: [helper]\ntools: []", helper: "" },
    script: roles({
      tester: turns({ calls: [mail("worker")] }),
      worker: turns({ calls: [delegate("helper")] }),
    }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    await world.settled(runId);
    const [sent] = payloadsOf(await world.events(runId), "TOOL_RESULT");
    const { run_id: other } = sent!.output as { run_id: string };
    await world.settled(other);
    const [child] = payloadsOf(await world.events(other), "CHILD_RUN_STARTED");
    const [start] = payloadsOf(await world.events(child!.child_run_id), "RUN_STARTED");
    expect(start).toMatchObject({ hops: 1, budgetRunId: runId });
  },
);

for (const call of [
  { tool: "delegate", input: { agent: " Closed", task: "go" } },
  { tool: "run_closed_agent", input: { task: "go" } },
  { tool: "delegate_to_agent", input: { role: "closed", task: "go" } },
]) {
  scenario(
    `[P12] a denied delegate is denied under every name of the delegation tool: ${call.tool}`,
    {
      agent: "agents: [open, closed]\ntools: []",
      cast: { open: "", closed: "" },
      config: "permissions: { deny: ['delegate(closed)'] }\n",
      script: roles({ tester: turns({ calls: [call] }) }),
    },
    async (world) => {
      const runId = await world.run("see to it");
      await world.settled(runId);
      expect(resultsRead(await world.events(runId))[0]).toMatch(
        /^Not allowed \(project deny delegate\(closed\)\)/,
      );
    },
  );
}

scenario(
  "[P12] a deny rule that uses an alias of a tool denies the tool",
  {
    agent: "agents: [open]\ntools: []\npermissions: { deny: [mcp__agent__spawn] }",
    cast: { open: "" },
    script: roles({ tester: turns({ calls: [delegate("open")] }) }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    await world.settled(runId);
    expect(resultsRead(await world.events(runId))[0]).toMatch(/^Not allowed \(agent tester deny delegate\)/);
  },
);

scenario(
  "[P5] a delegation that a person edited is judged again, and a person's grant covers only the delegate that the person saw",
  {
    agent: "agents: [open, closed]\ntools: []",
    cast: { open: "", closed: "" },
    config: "permissions: { ask: [delegate], deny: ['delegate(closed)'] }\n",
    script: roles({ tester: turns({ calls: [delegate("open")] }, { calls: [delegate("open")] }) }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    await world.settled(runId);
    const edit = { decision: "edit" as const, input: { agent: "closed", task: "go" } };
    await decideApproval(`${runId}:m1.0`, edit, "maria", world.runtime.people);
    await world.seen(runId, "TOOL_RESULT");
    expect(resultsRead(await world.events(runId))[0]).toMatch(
      /^Not allowed \(project deny delegate\(closed\)\)/,
    );
    await world.settled(runId);
    const yes = { decision: "approve" as const, scope: "run" as const };
    await decideApproval(`${runId}:m2.0`, yes, "maria", world.runtime.people);
    await world.seen(runId, "RUN_COMPLETED");
    expect(payloadsOf(await world.events(runId), "APPROVAL_DECIDED")[1]).toMatchObject({
      grant: "delegate(open)",
    });
  },
);
