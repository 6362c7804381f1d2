// `cadre acp`, started as an editor starts it: a process of its own, on its stdin and stdout.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { afterEach, beforeEach, expect, test } from "vitest";
import { agent, type Project, project } from "./cli.fixture.ts";
import { type Editor, openEditor } from "./editor.fixture.ts";

const FILES = {
  "agents/clerk.md": agent("clerk", "tools: [Bash]\n"),
  "clerk.script.yaml": `turns:
  - { when: { turn: 1 }, text: I pay., calls: [{ tool: Bash, input: { command: echo paid >> paid.txt } }] }
  - { when: { isError: true }, report: { summary: Nothing was paid. } }
  - { when: { task: again }, report: { summary: "Paid before: \${task}" } }
  - { report: { summary: Paid. } }
`,
  "agents/lead.md": agent("lead", "agents: [clerk, painter]\ntools: [TodoWrite]\n"),
  "lead.script.yaml": `turns:
  - when: { turn: 1 }
    calls: [{ tool: TodoWrite, input: { todos: [{ content: Have it paid, status: in_progress }] } }]
  - { when: { turn: 2 }, calls: [{ tool: delegate, input: { agent: clerk, task: pay the bill } }] }
  - { report: { summary: It is done. } }
`,
  "agents/painter.md": agent("painter", "tools: [AskUser]\n"),
  "painter.script.yaml": `turns:
  - { when: { turn: 1 }, calls: [{ tool: AskUser, input: { question: Which colour? } }] }
  - { report: { summary: "\${lastResult}" } }
`,
};

let p: Project;
const editors: Editor[] = [];
beforeEach(async () => {
  p = await project(FILES);
});
afterEach(async () => {
  await Promise.all(editors.splice(0).map((editor) => editor.end("kill")));
  await p[Symbol.asyncDispose]();
});

async function opened(name: string): Promise<Editor> {
  const editor = await openEditor(p, "--agent", name);
  editors.push(editor);
  return editor;
}
const paid = () => readFile(join(p.folder, "paid.txt"), "utf8").catch(() => "");
const events = async () => {
  const [run] = (await p.cadre("runs", "--json")).lines();
  return (await p.cadre("show", run!["id"] as string, "--events", "--json")).stdout;
};

test("[C14] a prompt is a run: words, cards and the end; what it may do is asked, and the journal says who allowed it", async () => {
  const editor = await opened("clerk");
  expect(editor.initialized).toMatchObject({ protocolVersion: 1, agentCapabilities: { loadSession: true } });
  const sessionId = await editor.begin();
  const turn = editor.prompt(sessionId, "pay");
  const { request, answer } = await editor.asked();
  expect(request.toolCall).toMatchObject({ title: "Run: echo paid >> paid.txt", kind: "execute" });
  expect(request.options.map(({ kind }) => kind)).not.toContain("reject_always");
  expect(await paid()).toBe("");
  answer("allow_once");
  expect(await turn).toEqual({ stopReason: "end_turn" });
  expect(await paid()).toBe("paid\n");
  expect(editor.said()).toBe("I pay.\n\nPaid.");
  const { toolCallId } = request.toolCall;
  const cards = editor.updates.filter((update) => "toolCallId" in update && update.toolCallId === toolCallId);
  expect(cards.map((card) => "status" in card && card.status)).toEqual([
    "pending",
    "in_progress",
    "completed",
  ]);
  expect(editor.updates.some(({ sessionUpdate }) => sessionUpdate === "user_message_chunk")).toBe(false);
  await editor.end("in order");
  expect(await events()).toMatch(/"by":"[^"]+ via ACP"/);
});

test("what is rejected does not happen, and the agent goes on without it", async () => {
  const editor = await opened("clerk");
  const sessionId = await editor.begin();
  const turn = editor.prompt(sessionId, "pay");
  (await editor.asked()).answer("reject_once");
  expect(await turn).toEqual({ stopReason: "end_turn" });
  expect(editor.said()).toContain("Nothing was paid.");
  expect(await paid()).toBe("");
});

test("[P7] [C15] a cancelled turn cancels the run, and takes the question away", async () => {
  const editor = await opened("clerk");
  const sessionId = await editor.begin();
  const turn = editor.prompt(sessionId, "pay");
  const { withdrawn } = await editor.asked();
  await editor.cancel(sessionId);
  expect(await turn).toEqual({ stopReason: "cancelled" });
  await withdrawn;
  expect(await paid()).toBe("");
  const next = editor.prompt(sessionId, "pay after all");
  (await editor.asked()).answer("allow_once");
  expect(await next).toEqual({ stopReason: "end_turn" });
});

test("[E1] [C16] killed while it waits, it goes on where it was: the session is loaded, the question comes again, and nothing happens twice", async () => {
  const first = await opened("clerk");
  const sessionId = await first.begin();
  void first.prompt(sessionId, "pay").catch(() => {});
  await first.asked();
  await first.end("kill");
  const second = await opened("lead");
  const { modes } = (await second.load(sessionId))!;
  expect(modes?.currentModeId).toBe("clerk");
  expect(second.updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual(
    expect.arrayContaining(["user_message_chunk", "agent_message_chunk", "tool_call"]),
  );
  (await second.asked()).answer("allow_once");
  const turn = second.prompt(sessionId, "again");
  await expect(turn).resolves.toEqual({ stopReason: "end_turn" });
  expect(second.said()).toContain("Paid");
  expect(await paid()).toBe("paid\n");
});

test("what runs below is a card with the names of whose it is, and the list of what is to do is the plan", async () => {
  const editor = await opened("lead");
  const sessionId = await editor.begin();
  const turn = editor.prompt(sessionId, "have the bill paid");
  const { request, answer } = await editor.asked();
  expect(request.toolCall.title).toBe("clerk › Run: echo paid >> paid.txt");
  answer("allow_once");
  expect(await turn).toEqual({ stopReason: "end_turn" });
  expect(editor.updates).toContainEqual({
    sessionUpdate: "plan",
    entries: [{ content: "Have it paid", status: "in_progress", priority: "medium" }],
  });
  const titles = editor.updates.flatMap((update) =>
    "title" in update && update.title ? [update.title] : [],
  );
  expect(titles).toContain("clerk: pay the bill");
  expect(titles).toContain("clerk › Run: echo paid >> paid.txt");
  expect(editor.said()).toBe("It is done.");
});

test("[D0] [C15] what only words can answer ends the turn, and the next message is the answer", async () => {
  const editor = await opened("painter");
  const sessionId = await editor.begin();
  expect(await editor.prompt(sessionId, "paint the door")).toEqual({ stopReason: "end_turn" });
  expect(editor.said()).toContain("Which colour?");
  expect(await editor.prompt(sessionId, "dark green")).toEqual({ stopReason: "end_turn" });
  expect(editor.said()).toMatch(/Answered by .+ via ACP: dark green$/);
});

test("[P5] [C14] beside `cadre up`: what somebody decides there takes the question away here", async () => {
  const server = p.start("up", "--port", "0", "--no-open", "--json");
  await server.shows(/^\{.*"url".*\}$/m);
  const editor = await opened("clerk");
  const sessionId = await editor.begin();
  const turn = editor.prompt(sessionId, "pay");
  const { request, withdrawn } = await editor.asked();
  expect((await p.cadre("approve", request.toolCall.toolCallId)).code).toBe(0);
  await withdrawn;
  expect(await turn).toEqual({ stopReason: "end_turn" });
  expect(await paid()).toBe("paid\n");
  const { agent: cadre } = editor;
  const { sessions } = await cadre.request(methods.agent.session.list, { cwd: p.folder });
  expect(sessions).toMatchObject([{ sessionId, cwd: p.folder, title: "pay" }]);
});

test("modes are the main agents; what is refused says why, and nothing is begun", async () => {
  const editor = await opened("clerk");
  const { agent: cadre } = editor;
  const { sessionId, modes } = await cadre.request(methods.agent.session.new, {
    cwd: p.folder,
    mcpServers: [],
  });
  expect(modes?.currentModeId).toBe("clerk");
  expect(modes?.availableModes.map(({ id }) => id)).toEqual(
    expect.arrayContaining(["clerk", "lead", "painter"]),
  );
  const mode = (modeId: string) => cadre.request(methods.agent.session.setMode, { sessionId, modeId });
  await expect(mode("nobody")).rejects.toThrow("There is no main agent nobody");
  await mode("painter");
  const image = { type: "image" as const, data: "", mimeType: "image/png" };
  const prompt = cadre.request(methods.agent.session.prompt, { sessionId, prompt: [image] });
  await expect(prompt).rejects.toThrow("Only text can be said here, no image");
  await expect(editor.prompt("unknown", "hi")).rejects.toThrow("There is no session unknown");
  await expect(editor.load("unknown")).rejects.toThrow("There is no session unknown");
  expect(await editor.prompt(sessionId, "paint")).toEqual({ stopReason: "end_turn" });
  expect(editor.said()).toContain("Which colour?");
});
