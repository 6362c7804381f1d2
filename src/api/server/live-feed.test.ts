// Tests the live feed over a real socket: contract S4's nine message types, the increasing `seq`, and continuing from a position.

import { afterEach, beforeEach, expect, test } from "vitest";
import type { Script } from "../../models/scripted/script.ts";
import { assembleRuntime, type RuntimeAssembly } from "../../runtime/assembly.ts";
import {
  type Api,
  CLERK,
  eventsUntil,
  isEnd,
  payTool,
  sendRequest,
  serveRuntime,
  tempProject,
  waitForApprovals,
} from "../fixtures/api.fixture.ts";

const LEADER = `---
name: leader
description: Leads.
model: scripted/leader
tools: [LS]
delegates: [helper]
---
You lead.
`;
const HELPER =
  "---\nname: helper\nkind: subagent\ndescription: Helps.\nmodel: scripted/helper\n---\nYou help.\n";

const leader: Script = ({ turn }) =>
  turn === 1
    ? { text: "First I look.", calls: [{ tool: "LS", input: {} }] }
    : turn === 2
      ? { calls: [{ tool: "delegate", input: { agent: "helper", task: "help me" } }] }
      : { report: { summary: "all done" } };

const clerk: Script = ({ turn }) =>
  turn > 1 ? { text: "paid" } : { calls: [{ tool: "Pay", input: { to: "ann", amount: 5 } }] };

let project: ReturnType<typeof tempProject>;
let runtime: RuntimeAssembly;
let api: Api;

beforeEach(async () => {
  project = tempProject({ "agents/clerk.md": CLERK, "agents/leader.md": LEADER, "agents/helper.md": HELPER });
  const { folder } = project;
  runtime = await assembleRuntime({
    folder,
    home: folder,
    env: {},
    tools: [payTool().tool],
    scripts: { leader, helper: () => ({ text: "helped" }), clerk },
  });
  await runtime.start();
  api = await serveRuntime(runtime, folder);
});

afterEach(async () => {
  await api.close();
  await runtime.stop();
  project.remove();
});

interface FeedMessage {
  id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into messages of every shape
  data: any;
}

/** Opens the feed and waits until the connection is established. */
async function listen(headers: Record<string, string> = {}, query = "") {
  const response = await api.fetch(`http://cadre/api/events${query}`, { headers });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader.read()).value ?? "";
  const feedMessages = (): FeedMessage[] =>
    text.split("\n\n").flatMap((block) => {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (!block.endsWith("}") || data === undefined || /^event:/m.test(block)) return [];
      return [{ id: /^id: (.*)$/m.exec(block)?.[1], data: JSON.parse(data) }];
    });
  return {
    text: () => text,
    async until(enough: (feedMessages: FeedMessage[]) => boolean): Promise<FeedMessage[]> {
      while (!enough(feedMessages())) text += (await reader.read()).value ?? "";
      await reader.cancel();
      return feedMessages();
    },
  };
}

const hasEnded = (runId: string) => (feedMessages: FeedMessage[]) =>
  feedMessages.some(({ data }) => data.type === "Outcome" && data.run_id === runId);

test("[S4-37] [S4-38] [S4-39] [S4-40] [S4-41] [S4-44] [S4-45] the feed shows a tree from its start to its outcome", async () => {
  const feed = await listen();
  const { runId } = await api.client.post("/api/runs", { body: { agent: "leader", task: "lead" } });
  const feedMessages = await feed.until(hasEnded(runId));
  expect(new Set(feedMessages.map(({ data }) => data.type))).toEqual(
    new Set([
      "AgentStatus",
      "Message",
      "Outcome",
      "StateUpdated",
      "SubagentResult",
      "SubagentSpawned",
      "Token",
    ]),
  );
  const [first] = feedMessages;
  expect(first!.data).toMatchObject({
    type: "StateUpdated",
    run: {
      run_id: runId,
      agent_id: "leader",
      agent_kind: "main",
      status: "running",
      repo_path: project.folder,
    },
  });
  const spawned = feedMessages.find(({ data }) => data.type === "SubagentSpawned")!.data;
  expect(spawned).toMatchObject({ run_id: runId, child_agent_id: "helper", task: "help me" });
  expect(feedMessages.find(({ data }) => data.type === "SubagentResult")!.data).toMatchObject({
    child_run_id: spawned.child_run_id,
    success: true,
  });
  expect(
    feedMessages.find(({ data }) => data.type === "StateUpdated" && data.run.run_id === spawned.child_run_id)!
      .data.run,
  ).toMatchObject({ agent_kind: "subagent", parent_run_id: runId });
  const asked = feedMessages.find(
    ({ data }) => data.type === "Message" && data.run_id === spawned.child_run_id,
  );
  expect(asked!.data).toMatchObject({ from: "leader", text: "help me" });
  expect(feedMessages.at(-1)!.data).toMatchObject({
    type: "Outcome",
    status: "completed",
    summary: "all done",
  });
});

test("[S4-31] [S4-32] [S4-33] [S4-34] [S4-35] [S4-36] the feed describes an agent's state in plain words", async () => {
  const feed = await listen();
  const { runId } = await api.client.post("/api/runs", { body: { agent: "leader", task: "lead" } });
  const feedMessages = await feed.until(hasEnded(runId));
  const states = feedMessages.flatMap(({ data }) =>
    data.type === "AgentStatus" && data.run_id === runId ? [`${data.status}: ${data.detail}`] : [],
  );
  expect(states.slice(0, 6)).toEqual([
    "working: Starting",
    "model_loading: Waiting for scripted/leader",
    "thinking: Thinking",
    "working: Working",
    "calling_tool: Calling LS",
    "working: LS is done",
  ]);
  expect(states).toContain("working: Waiting for its children");
  expect(states.filter((state) => state.startsWith("idle"))).toEqual(["idle: Done"]);
});

test("[28.17] [S4-46] every message, `Token` included, has an increasing whole number `seq`", async () => {
  const feed = await listen();
  const { runId } = await api.client.post("/api/runs", { body: { agent: "leader", task: "lead" } });
  const feedMessages = await feed.until(hasEnded(runId));
  const tokens = feedMessages.filter(({ data }) => data.type === "Token");
  expect(tokens.length).toBeGreaterThan(0);
  // A token is never stored, so a reader cannot continue after it.
  for (const { id } of tokens) expect(id).toBeUndefined();
  const seqs = feedMessages.map(({ data }) => data.seq as number);
  expect(seqs.filter((seq) => !Number.isSafeInteger(seq))).toEqual([]);
  expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
});

test("[28.17] [S4-46] `seq` continues to increase for a reader that reconnects after all readers have disconnected", async () => {
  const feed = await listen();
  const { runId } = await api.client.post("/api/runs", { body: { agent: "leader", task: "lead" } });
  const last = (await feed.until(hasEnded(runId))).at(-1)!;
  const again = await listen({ "Last-Event-ID": last.id! });
  await sendRequest(api, "POST", "/api/settings", { mode: "auto" });
  const [next] = await again.until((all) => all.length === 1);
  expect(next!.data.seq).toBeGreaterThan(last.data.seq);
});

test("[S4-43] the feed shows a message as queued until the agent's next turn reads it", async () => {
  const feed = await listen();
  const { runId } = await api.client.post("/api/runs", { body: { agent: "clerk", task: "pay" } });
  const [item] = await waitForApprovals(api, runId);
  await api.client.post("/api/runs/{id}/message", { id: runId, body: { text: "and hurry" } });
  await api.client.post("/api/approvals/{id}", { id: item!.id, body: { decision: "approve" } });
  const feedMessages = await feed.until(hasEnded(runId));
  const queues = feedMessages.flatMap(({ data }) => (data.type === "QueueUpdated" ? [data.queue] : []));
  expect(queues).toMatchObject([[{ text: "and hurry" }], []]);
});

test("[S4-42] [S4-46] the feed sends changed settings with an increasing `seq`", async () => {
  const feed = await listen();
  for (const mode of ["auto", "chat"]) await sendRequest(api, "POST", "/api/settings", { mode });
  const feedMessages = await feed.until((all) => all.length === 2);
  expect(feedMessages.map(({ data }) => [data.type, data.settings.mode])).toEqual([
    ["SettingsUpdated", "auto"],
    ["SettingsUpdated", "chat"],
  ]);
  expect(feedMessages[1]!.data.seq).toBeGreaterThan(feedMessages[0]!.data.seq);
});

test("[F46] a reader that reconnects with its last id misses no message and gets none twice", async () => {
  const feed = await listen();
  const { runId } = await api.client.post("/api/runs", { body: { agent: "leader", task: "lead" } });
  const whole = await feed.until(hasEnded(runId));
  const sequenced = whole.filter(({ data }) => data.type !== "Token" && data.status !== "thinking");
  const middle = whole.findIndex(({ id }, index) => id !== undefined && index > whole.length / 2);
  const rest = await (await listen({ "Last-Event-ID": whole[middle]!.id! })).until(hasEnded(runId));
  const after = sequenced.filter(({ data }) => data.seq > whole[middle]!.data.seq);
  expect(rest.map(({ data }) => data)).toEqual(after.map(({ data }) => data));
});

test("a reader with an unknown position gets a reset and then only new messages", async () => {
  const first = await api.client.post("/api/runs", { body: { agent: "leader", task: "lead" } });
  await eventsUntil(api, first.runId, isEnd);
  const feed = await listen({ "Last-Event-ID": "elsewhere.7" });
  const { runId } = await api.client.post("/api/runs", { body: { agent: "leader", task: "lead" } });
  const feedMessages = await feed.until(hasEnded(runId));
  expect(feed.text()).toContain("event: reset");
  expect(feedMessages.filter(({ data }) => (data.run_id ?? data.run?.run_id) === first.runId)).toEqual([]);
});
