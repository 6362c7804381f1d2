// Tests `cadre acp`, started as an editor would start it: as a separate process, over stdin and stdout.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { PNG } from "../../../test/support/sample-files.ts";
import { agent, type Project, project } from "../cli.fixture.ts";
import { type Editor, openEditor } from "../editor.fixture.ts";

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
  "agents/writer.md": agent("writer", "tools: [Write, AskUser]\n"),
  "writer.script.yaml": `turns:
  - { when: { turn: 1 }, calls: [{ tool: AskUser, input: { question: Which?, choices: [red, blue] } }] }
  - { when: { turn: 2 }, calls: [{ tool: Write, input: { path: door.txt, content: "\${lastResult}" } }] }
  - { report: { summary: "\${lastResult}" } }
`,
  "agents/painter.md": agent("painter", "tools: [AskUser]\n"),
  "painter.script.yaml": `turns:
  - { when: { turn: 1 }, calls: [{ tool: AskUser, input: { question: Which colour? } }] }
  - { report: { summary: "\${lastResult}" } }
`,
};

let p: Project;
const editors: Editor[] = [];
async function openFor(name: string): Promise<Editor> {
  const editor = await openEditor(p, "--agent", name);
  editors.push(editor);
  return editor;
}
const paid = () => readFile(join(p.folder, "paid.txt"), "utf8").catch(() => "");

describe("one editor", () => {
  let editor: Editor;
  beforeAll(async () => {
    p = await project(FILES);
    editor = await openFor("clerk");
  });
  afterAll(leave);

  test("[C14] an editor's prompt starts a run; the editor receives the run's text and tool calls; the journal names the approver", async () => {
    expect(editor.initialized).toMatchObject({
      protocolVersion: 1,
      agentCapabilities: { loadSession: true },
    });
    const sessionId = await editor.begin("clerk");
    const turn = editor.prompt(sessionId, "pay");
    const { request, answer } = await editor.asked();
    expect(request.toolCall).toMatchObject({ title: "Run: echo paid >> paid.txt", kind: "execute" });
    expect(request.options.map(({ kind }) => kind)).not.toContain("reject_always");
    expect(await paid()).toBe("");
    answer("allow_once");
    expect(await turn).toEqual({ stopReason: "end_turn" });
    expect(await paid()).toBe("paid\n");
    expect(editor.said(sessionId)).toBe("I pay.\n\nPaid.");
    const { toolCallId } = request.toolCall;
    const updates = editor.updates(sessionId);
    const cards = updates.filter((update) => "toolCallId" in update && update.toolCallId === toolCallId);
    expect(cards.map((card) => "status" in card && card.status)).toEqual([
      "pending",
      "in_progress",
      "completed",
    ]);
    expect(updates.some(({ sessionUpdate }) => sessionUpdate === "user_message_chunk")).toBe(false);
    const { stdout } = await p.cadre("show", toolCallId.split(":")[0]!, "--events", "--json");
    expect(stdout).toMatch(/"by":"[^"]+ via ACP"/);
  });

  test("a call that the editor rejects does not run, and the agent continues without the call", async () => {
    const before = await paid();
    const sessionId = await editor.begin("clerk");
    const turn = editor.prompt(sessionId, "pay");
    (await editor.asked()).answer("reject_once");
    expect(await turn).toEqual({ stopReason: "end_turn" });
    expect(editor.said(sessionId)).toContain("Nothing was paid.");
    expect(await paid()).toBe(before);
  });

  test("[P7] [C15] cancelling a turn cancels the run and withdraws the open question", async () => {
    const before = await paid();
    const sessionId = await editor.begin("clerk");
    const turn = editor.prompt(sessionId, "pay");
    const { withdrawn } = await editor.asked();
    await editor.cancel(sessionId);
    expect(await turn).toEqual({ stopReason: "cancelled" });
    await withdrawn;
    expect(await paid()).toBe(before);
    const next = editor.prompt(sessionId, "pay after all");
    (await editor.asked()).answer("allow_once");
    expect(await next).toEqual({ stopReason: "end_turn" });
  });

  test("[C15] a question that the editor dismisses stays open, and is asked again after the next message", async () => {
    const before = await paid();
    const sessionId = await editor.begin("clerk");
    const turn = editor.prompt(sessionId, "pay");
    const { request, answer } = await editor.asked();
    answer("no kind of option");
    expect(await turn).toEqual({ stopReason: "end_turn" });
    const { toolCallId } = request.toolCall;
    expect(editor.said(sessionId)).toContain(`echo paid >> paid.txt (\`cadre approve ${toolCallId}\`)`);
    const odd = editor.prompt(sessionId, "well?");
    (await editor.asked()).choose("bogus");
    await expect(odd).rejects.toThrow("The editor chose bogus, which was not offered. Nothing was decided.");
    const last = editor.prompt(sessionId, "yes");
    (await editor.asked()).answer("allow_once");
    expect(await last).toEqual({ stopReason: "end_turn" });
    expect(await paid()).toBe(`${before}paid\n`);
  });

  test("the editor shows a child run as a card with the name of its agent, and the to-do list as a plan", async () => {
    const sessionId = await editor.begin("lead");
    const turn = editor.prompt(sessionId, "have the bill paid");
    const { request, answer } = await editor.asked();
    expect(request.toolCall.title).toBe("clerk › Run: echo paid >> paid.txt");
    answer("allow_once");
    expect(await turn).toEqual({ stopReason: "end_turn" });
    const updates = editor.updates(sessionId);
    expect(updates).toContainEqual({
      sessionUpdate: "plan",
      entries: [{ content: "Have it paid", status: "in_progress", priority: "medium" }],
    });
    const titles = updates.flatMap((update) => ("title" in update && update.title ? [update.title] : []));
    expect(titles).toContain("clerk: pay the bill");
    expect(titles).toContain("clerk › Run: echo paid >> paid.txt");
    expect(editor.said(sessionId)).toBe("It is done.");
  });

  test("[C14] the editor offers the possible answers to a question as choices, and shows a file change as a diff", async () => {
    const sessionId = await editor.begin("writer");
    const turn = editor.prompt(sessionId, "paint");
    const question = await editor.asked();
    expect(question.request.options.map(({ name }) => name)).toEqual(["red", "blue", "Give no answer"]);
    question.answer("allow_once");
    const { request, answer } = await editor.asked();
    expect(request.toolCall).toMatchObject({
      kind: "edit",
      content: [{ type: "diff", path: join(p.folder, "door.txt"), newText: expect.stringMatching(/: red$/) }],
    });
    answer("reject_once");
    expect(await turn).toEqual({ stopReason: "end_turn" });
  });

  test("[D0] [C15] a question without choices ends the turn, and the next message answers the question", async () => {
    const sessionId = await editor.begin("painter");
    expect(await editor.prompt(sessionId, "paint the door")).toEqual({ stopReason: "end_turn" });
    expect(editor.said(sessionId)).toContain("Which colour?");
    expect(await editor.prompt(sessionId, "dark green")).toEqual({ stopReason: "end_turn" });
    expect(editor.said(sessionId)).toMatch(/Answered by .+ via ACP: dark green$/);
  });

  test.each(["session/new", "session/load", "session/list"])(
    "%s accepts only an absolute path of an existing folder, and creates no folder",
    async (method) => {
      const nowhere = join(p.folder, "no", "where");
      for (const [cwd, why] of [
        [nowhere, `There is no folder ${nowhere}.`],
        [join(p.folder, "clerk.script.yaml"), "There is no folder"],
        ["rel", "rel is no absolute path"],
      ])
        await expect(
          editor.agent.request(method as "session/new", { cwd, mcpServers: [], sessionId: "s" } as never),
        ).rejects.toMatchObject({ code: -32602, message: expect.stringContaining(why!) });
      expect(existsSync(join(p.folder, "no"))).toBe(false);
      expect(existsSync("rel")).toBe(false);
    },
  );

  test("an image in a prompt becomes an attachment of the run", async () => {
    const { agent: cadre } = editor;
    const sessionId = await editor.begin("painter");
    const image = { type: "image" as const, data: PNG.toString("base64"), mimeType: "image/png" };
    const prompt = [{ type: "text" as const, text: "paint it like this" }, image];
    await cadre.request(methods.agent.session.prompt, { sessionId, prompt });
    const [run] = (await p.cadre("runs", "--json")).lines() as { id: string }[];
    expect((await p.cadre("show", run!.id)).stdout).toContain("file-1 (image/png,");
  });

  test("an editor's session offers the main agents as modes; a refused request starts no run, and the error gives the reason", async () => {
    const { agent: cadre } = editor;
    const begun = await cadre.request(methods.agent.session.new, { cwd: p.folder, mcpServers: [] });
    const { sessionId, modes } = begun;
    expect(modes?.currentModeId).toBe("clerk");
    expect(modes?.availableModes.map(({ id }) => id)).toEqual(expect.arrayContaining(["lead", "painter"]));
    const mode = cadre.request(methods.agent.session.setMode, { sessionId, modeId: "nobody" });
    await expect(mode).rejects.toThrow("There is no main agent nobody");
    const sound = { type: "audio" as const, data: "", mimeType: "audio/wav" };
    const prompt = cadre.request(methods.agent.session.prompt, { sessionId, prompt: [sound] });
    await expect(prompt).rejects.toThrow("Only text, images and PDFs can be sent here, no audio");
    await expect(editor.prompt("unknown", "hi")).rejects.toThrow("There is no session unknown");
    await expect(editor.load("unknown")).rejects.toThrow("There is no session unknown");
    expect(editor.updates(sessionId)).toEqual([]);
  });
});

describe("several processes", () => {
  beforeEach(async () => {
    p = await project(FILES);
  });
  afterEach(leave);

  test("[E1] [C16] after `cadre acp` is killed, the editor reloads the session and shows the question again; nothing runs twice", async () => {
    const first = await openFor("clerk");
    const sessionId = await first.begin("clerk");
    void first.prompt(sessionId, "pay").catch(() => {});
    await first.asked();
    await first.end();
    const second = await openFor("lead");
    const { modes } = (await second.load(sessionId))!;
    expect(modes?.currentModeId).toBe("clerk");
    expect(second.updates(sessionId).map(({ sessionUpdate }) => sessionUpdate)).toEqual(
      expect.arrayContaining(["user_message_chunk", "agent_message_chunk", "tool_call"]),
    );
    (await second.asked()).answer("allow_once");
    expect(await second.prompt(sessionId, "again")).toEqual({ stopReason: "end_turn" });
    expect(second.said(sessionId)).toContain("Paid");
    expect(await paid()).toBe("paid\n");
  });

  test("[P5] [C14] a decision made in `cadre up` withdraws the question in the editor", async () => {
    const server = p.startHere("up", "--port", "0", "--no-open", "--json");
    await server.shows(/^\{.*"url".*\}$/m);
    const editor = await openFor("clerk");
    const sessionId = await editor.begin("clerk");
    const turn = editor.prompt(sessionId, "pay");
    const { request, withdrawn } = await editor.asked();
    expect((await p.cadre("approve", request.toolCall.toolCallId)).code).toBe(0);
    await withdrawn;
    expect(await turn).toEqual({ stopReason: "end_turn" });
    expect(await paid()).toBe("paid\n");
    const { sessions } = await editor.agent.request(methods.agent.session.list, { cwd: p.folder });
    expect(sessions).toMatchObject([{ sessionId, cwd: p.folder, title: "pay" }]);
  });
});

async function leave(): Promise<void> {
  await Promise.all(editors.splice(0).map((editor) => editor.end()));
  await p[Symbol.asyncDispose]();
}
