import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { oracleTools } from "../../../test/support/oracle.ts";
import {
  look,
  payloadsOf,
  promptOf,
  resultsRead,
  roles,
  scenario,
  turns,
} from "../../../test/support/scenario.ts";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { openProject } from "../../project/project.ts";

const chat = { sessionId: "s1", agent: "tester", from: "maria", mode: "chat" } as const;

scenario(
  "[S4-4] a session is a chain of runs: each begins with the transcript of the previous run",
  { script: ({ lastUser }) => ({ text: `I heard: ${lastUser}` }) },
  async (world) => {
    const first = await world.runtime.say({ ...chat, text: "hello" });
    await world.settled(first.runId);
    const second = await world.runtime.say({ ...chat, text: "and then?" });
    expect(second).toMatchObject({ joined: false });
    expect(second.runId).not.toBe(first.runId);
    const { end } = await world.settled(second.runId);
    expect(end).toMatchObject({ status: "completed", summary: "I heard: and then?" });
    const [start] = payloadsOf(await world.events(second.runId), "RUN_STARTED");
    expect(start).toMatchObject({
      sessionId: "s1",
      mode: "chat",
      attended: true,
      continues: { runId: first.runId },
    });
    const both = [...(await world.events(first.runId)), ...(await world.events(second.runId))];
    expect(promptOf(both).map(({ content }) => (content[0] as { text: string }).text)).toEqual([
      "hello",
      "I heard: hello",
      "and then?",
      "I heard: and then?",
    ]);
  },
);

scenario(
  "[S4-10] a message to a busy agent joins its run and is read at its next turn; a chat runs one tool at a time",
  {
    script: ({ turn, lastUser }) => {
      if (turn === 1) return { calls: [look("a"), look("b")] };
      return { text: `last heard: ${lastUser}` };
    },
  },
  async (world) => {
    const hurried = Promise.withResolvers<void>();
    await world.restart({ tools: oracleTools(world.oracle, { before: () => hurried.promise }) });
    const { runId } = await world.runtime.say({ ...chat, text: "look" });
    await world.seen(runId, "MODEL_CALL_STARTED");
    expect(await world.runtime.say({ ...chat, text: "hurry" })).toEqual({ runId, joined: true });
    hurried.resolve();
    const { end } = await world.settled(runId);
    expect(end?.summary).toBe("last heard: hurry");
    expect(resultsRead(await world.events(runId))).toEqual([
      "look a: done",
      "One call at a time: ask again for this one if it is still needed.",
    ]);
  },
);

const mail = (to: string, message = "please look") => ({ tool: "send_message", input: { to, message } });

scenario(
  "[S4-12] [D5] a message between main agents starts a run that uses the sender's budget",
  {
    agent: "tools: [send_message]\nlimits: { tree: { maxTokens: 100000 } }",
    cast: { other: "tools: []", leaf: "kind: subagent" },
    config: "limits: { tree: { maxTokens: 100000 } }\n",
    script: roles({
      tester: turns({ calls: [mail("other"), mail("leaf"), mail("tester"), mail("nobody")] }),
    }),
  },
  async (world) => {
    const runId = await world.run("tell them", { sessionId: "s9" });
    await world.settled(runId);
    const [sent, leaf, self, nobody] = payloadsOf(await world.events(runId), "TOOL_RESULT").map(
      ({ output }) => output,
    );
    expect(sent).toMatchObject({ to: "other", status: "delivered: it starts a run" });
    expect(leaf).toBe("Not sent: leaf is a subagent, and takes no messages.");
    expect(self).toBe("Not sent: that is yourself.");
    expect(nobody).toMatch(/^Not sent: There is no agent `nobody`/);
    const { run_id: other } = sent as { run_id: string };
    await world.settled(other);
    expect(await world.runtime.store.runs.get(other)).toMatchObject({
      agent: "other",
      trigger: "message",
      parentRunId: undefined,
      rootRunId: other,
      budgetRunId: runId,
      sessionId: "s9",
      status: "completed",
    });
    const [start] = payloadsOf(await world.events(other), "RUN_STARTED");
    expect(start?.task).toMatch(
      /^Message from tester:\n<untrusted-\w+ source="tester">\nplease look\n<\/untrusted/,
    );
  },
);

scenario(
  "[D5] two agents that message each other stop after eight hops",
  {
    agent: "tools: [send_message]",
    cast: { other: "tools: [send_message]" },
    script: roles({
      tester: turns({ calls: [mail("other")] }, { text: "done" }),
      other: turns({ calls: [mail("tester")] }, { text: "done" }),
    }),
  },
  async (world) => {
    const runId = await world.run("tell them", { sessionId: "s9" });
    const { store } = world.runtime;
    const refused = new Promise<string>((resolve) => {
      store.journal.onCommit((events) => {
        for (const event of events) {
          if (event.type === "TOOL_RESULT" && event.payload.isError) resolve(String(event.payload.output));
        }
      });
    });
    await world.settled(runId);
    expect(await refused).toBe("Not sent: this message has come through 8 agents already.");
    expect((await store.runs.list({ session: "s9" })).runs.length).toBeLessThanOrEqual(9);
  },
);

const mains = { agent: 'kind: main\ntools: ["*"]', cast: { other: "kind: main", leaf: "kind: subagent" } };

scenario(
  "[28.16] [S4-12] a main agent with every tool can message the other main agents of its project",
  { ...mains, script: roles({ tester: turns({ calls: [mail("other")] }) }) },
  async (world) => {
    const runId = await world.run("tell them", { sessionId: "s9" });
    await world.settled(runId);
    const [result] = payloadsOf(await world.events(runId), "TOOL_RESULT");
    expect(result?.output).toMatchObject({ to: "other", status: "delivered: it starts a run" });
    await world.settled((result!.output as { run_id: string }).run_id);
  },
);

test.each([
  ["it offers the main agents, but no subagents", 'kind: main\ntools: ["*"]', ["other"]],
  ['`tools: ["*"]` is enough', 'tools: ["*"]', ["other"]],
  ["`kind: main` is enough", "kind: main", ["other"]],
  ["`kind: main` with a list of tools does not include it", "kind: main\ntools: [Read]", undefined],
  ["an agent without `kind` and `tools` does not get it", "", undefined],
  ["an agent's file can remove it", "kind: main\ndisallowedTools: [send_message]", undefined],
])("[28.16] [S4-12] the tool send_message: %s", async (_title, keys, names) => {
  const folder = scratchFolder("cadre-mains-");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "agents"));
  for (const [name, own] of Object.entries({ boss: keys, other: "kind: main", leaf: "kind: subagent" }))
    writeFileSync(join(folder, "agents", `${name}.md`), `---\ndescription: d\n${own}\n---\nHi.\n`);
  const project = openProject({ folder, home: join(folder, "home"), env: {} });
  const { tools } = await project.prompt("boss", "go");
  const offered = tools.find(({ name }) => name === "send_message");
  expect(offered?.description.split("Main agents: ")[1]).toBe(names && `${names.join(", ")}.`);
});

scenario(
  "[28.16] [S4-17] with `limits: { maxDepth: 1 }` in cadre.yaml, a child cannot delegate, whatever its file says",
  {
    config: "limits: { maxDepth: 1 }\n",
    agent: "agents: [middle]\nlimits: { maxDepth: 3 }",
    cast: { middle: "agents: [leaf]\nlimits: { maxDepth: 3 }", leaf: "" },
    script: roles({
      tester: turns({ calls: [{ tool: "delegate", input: { agent: "middle", task: "go" } }] }),
      middle: turns({ calls: [{ tool: "delegate", input: { agent: "leaf", task: "go" } }] }),
    }),
  },
  async (world) => {
    await world.settled(await world.run("begin"));
    const { runs } = await world.runtime.store.runs.list({});
    expect(runs.map(({ agent }) => agent).sort()).toEqual(["middle", "tester"]);
  },
);

scenario(
  "only agents whose file lists send_message have it",
  { agent: "tools: [look]", script: turns({ calls: [mail("tester")] }) },
  async (world) => {
    const runId = await world.run("tell them");
    await world.settled(runId);
    expect(resultsRead(await world.events(runId))[0]).toBe(
      'There is no tool "send_message" for you. You have: look.',
    );
  },
);
