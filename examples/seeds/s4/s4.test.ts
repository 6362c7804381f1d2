// Checks from outside that the system in this folder does what document S4 says: over HTTP and with the command line.

import { afterAll, beforeAll, expect, test } from "vitest";
import { type Json, type Seed, startSeed } from "../seed.fixture.ts";

let seed: Seed;
beforeAll(async () => {
  seed = await startSeed("s4");
});
afterAll(() => seed[Symbol.asyncDispose]());

const ADD = { message: "Add a health endpoint", agent_id: "lead", mode: "auto" };
const runs = async (session: string): Promise<Json[]> =>
  (await seed.get(`/api/agent-runs?session_id=${session}`)).runs;
const ended = ({ runs }: Json) => runs.every((run: Json) => run.status !== "running");

/** The messages of the live feed, up to the last one of the run that `begin` starts: its outcome, unless `isLast` says otherwise. */
async function feedOf(
  begin: () => Promise<string>,
  isLast = ({ type }: Json): boolean => type === "Outcome",
): Promise<Json[]> {
  const response = await seed.fetch("/api/events");
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader.read()).value!;
  const runId = await begin();
  const read = (): Json[] => [...text.matchAll(/^data: (.*)\n\n/gm)].map(([, data]) => JSON.parse(data!));
  while (!read().some((message) => message.run_id === runId && isLast(message)))
    text += (await reader.read()).value!;
  await reader.cancel();
  return read();
}

const latestRecord = (feed: Json[], runId: string): Json =>
  feed.findLast(({ type, run_id }) => type === "StateUpdated" && run_id === runId).run;

test("[28.15] [S4-1] the agents load without a problem, and `policy` alone decides which agents they may start", async () => {
  const { code, stdout } = await seed.cadre("agents", "validate");
  expect(code).toBe(0);
  expect(stdout).not.toMatch(/warning|⚠|Bash/i);
  const delegatesOf = async (name: string) =>
    (await seed.get(`/api/agents/${name}`)).definition.agents.toSorted();
  expect(await delegatesOf("lead")).toEqual(["coder", "tester"]);
  expect(await delegatesOf("scribe")).toEqual(["tester"]);
  expect(await delegatesOf("coder")).toEqual([]);
});

test("[28.16] [28.17] a task sends the events of document S4, and needs no approval if the message has the preset `trusted`", async () => {
  let session = "";
  const feed = await feedOf(async () => {
    const sent = await seed.post("/api/chat", { ...ADD, permissions: { preset: "trusted" } });
    session = sent.session_id;
    return sent.run_id;
  });
  await seed.until(`/api/agent-runs?session_id=${session}`, (all) => all.runs.length === 3 && ended(all));
  const all = await runs(session);
  expect(all.map(({ agent_id, agent_kind, status }) => `${agent_id} ${agent_kind} ${status}`).sort()).toEqual(
    ["coder subagent completed", "lead main completed", "scribe main completed"],
  );
  const lead = all.find(({ agent_id }) => agent_id === "lead");
  const { runs: children } = await seed.get(`/api/agent-children?run_id=${lead.run_id}`);
  expect(children).toMatchObject([{ agent_id: "coder", parent_run_id: lead.run_id }]);

  const types = new Set(feed.map(({ type }) => type));
  for (const type of [
    "StateUpdated",
    "Message",
    "SubagentSpawned",
    "SubagentResult",
    "AgentStatus",
    "Token",
    "Outcome",
  ])
    expect(types).toContain(type);
  expect(feed.find(({ type }) => type === "StateUpdated")).toMatchObject({
    ...{ run_id: lead.run_id, agent_id: "lead", session_id: session },
  });
  for (const { run_id } of [lead, children[0]])
    expect(latestRecord(feed, run_id)).toEqual(all.find((run) => run.run_id === run_id));
  const told = feed.find(({ type, agent_id }) => type === "Message" && agent_id === "scribe");
  expect(told).toMatchObject({
    from: "lead",
    text: "Message from lead:\nNote: server.js has a new endpoint.",
  });
  const seqs = feed.map(({ seq }) => seq);
  expect(seqs.every(Number.isSafeInteger)).toBe(true);
  expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));

  const { sessions } = await seed.get("/api/sessions");
  expect(sessions.find(({ id }: Json) => id === session).agent).toBe("lead");
  const limits = seed.sql("SELECT DISTINCT max_iterations FROM messages");
  expect(limits).toEqual([{ max_iterations: 20 }]);
});

test("[28.17] [S4-2] in the mode `auto`, only `max_iters` ends a loop, and nobody is asked", async () => {
  const { run_id } = await seed.post("/api/chat", {
    ...ADD,
    message: "Look around",
    permissions: { preset: "trusted" },
  });
  const run = await seed.until(`/api/runs/${run_id}`, ({ status }) =>
    /completed|failed|cancelled|suspended/.test(status),
  );
  expect(run).toMatchObject({ status: "completed", summary: "I looked around until my turns were over." });
});

test("[28.16] [S4-51] a message that names no agent goes to the main agent that cadre.yaml names", async () => {
  const { run_id } = await seed.post("/api/chat", {
    message: "Look around",
    permissions: { preset: "trusted" },
  });
  expect(await seed.get(`/api/runs/${run_id}`)).toMatchObject({ agent: "lead" });
  await seed.post("/api/agent-cancel", { run_id });
});

test("[S4-15] [S4-16] [S4-19] if a subagent tries to start another subagent, the call is refused", async () => {
  const rows = seed.sql("SELECT request_content FROM messages WHERE agent_role = 'coder' ORDER BY id");
  expect(rows[1]!["request_content"]).toMatch(/There is no tool "delegate" for you|never spawns/);
  expect(seed.sql("SELECT count(*) AS testers FROM runs WHERE agent = 'tester'")).toEqual([{ testers: 0 }]);
});

test("[28.17] [S4-18] in the mode `auto` a question waits in the inbox; cancelling the parent also cancels the child", async () => {
  let sent: Json;
  const feed = await feedOf(
    async () => {
      sent = await seed.post("/api/chat", ADD);
      return sent.run_id;
    },
    ({ type, run }) => type === "StateUpdated" && /a person/.test(run.detail),
  );
  const { run_id, session_id } = sent;
  const { approvals } = await seed.until("/api/approvals", (inbox) => inbox.approvals.length === 1);
  expect(approvals[0]).not.toHaveProperty("expiresAt");
  const lead = (await runs(session_id)).find((run) => run.run_id === run_id);
  expect(lead.detail).toBe("Waiting: a child needs a person");
  expect(latestRecord(feed, run_id)).toEqual(lead);
  const { cancelled } = await seed.post("/api/agent-cancel", { run_id });
  expect(cancelled).toHaveLength(2);
  await seed.until(
    `/api/agent-children?run_id=${run_id}`,
    ({ runs: [child] }) => child.status === "cancelled",
  );
});

test("[28.18] the README's own command line works in the reader's shell", async () => {
  expect(await seed.readme()).toMatchObject({ code: 0 });
});
