// Tests that main agents work as models: with the `openai` package from npm, through the public server and over real HTTP.

import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Script } from "../../models/scripted/script.ts";
import { assembleRuntime, type RuntimeAssembly } from "../../runtime/assembly.ts";
import { createAnswerText } from "../conversation/answer-text.ts";
import {
  type Api,
  CLERK,
  eventsUntil,
  isEnd,
  payTool,
  serveRuntime,
  tempProject,
  waitForApprovals,
} from "../fixtures/api.fixture.ts";
import { BUILT_PAGE, type PublicServer, startPublicServer } from "../server/public-server.ts";

const TOKEN = "a-token-that-is-long-enough-for-it";
const clerk: Script = ({ turn }) =>
  turn > 1
    ? { report: { summary: "Ann has it." } }
    : { text: "I pay.", calls: [{ tool: "Pay", input: { to: "ann", amount: 5 } }] };
const writer: Script = ({ lastUser }) => ({ text: `You said: ${lastUser}` });
const loser: Script = () => ({ error: { status: 400, message: "There is no paper." } });
const painter: Script = ({ turn, lastResult }) =>
  turn > 1
    ? { report: { summary: `${lastResult}` } }
    : { text: "Hm.", calls: [{ tool: "AskUser", input: { question: "Which colour?" } }] };
const agent = (name: string) =>
  `---\nname: ${name}\ndescription: A.\nmodel: scripted/${name}\ntools: []\n---\nDo.\n`;

let project: ReturnType<typeof tempProject>;
let runtime: RuntimeAssembly;
let api: Api;
let server: PublicServer;
let openai: OpenAI;

beforeAll(async () => {
  project = tempProject({
    "agents/clerk.md": CLERK,
    "agents/writer.md": agent("writer"),
    "agents/loser.md": agent("loser"),
    "agents/painter.md": agent("painter").replace("[]", "[AskUser]"),
    "agents/helper.md": "---\nname: helper\nkind: subagent\ndescription: Helps.\n---\nYou help.\n",
  });
  const { folder } = project;
  const scripts = { clerk, writer, loser, painter };
  runtime = await assembleRuntime({ folder, home: folder, env: {}, tools: [payTool().tool], scripts });
  api = await serveRuntime(runtime, folder);
  await runtime.start();
  const options = { host: "127.0.0.1", port: 0, token: TOKEN, names: [], page: BUILT_PAGE };
  server = await startPublicServer(api.parts, options);
  openai = new OpenAI({ apiKey: TOKEN, baseURL: `${server.url}/v1`, maxRetries: 0 });
});
afterAll(async () => {
  await server.close();
  await api.close();
  await runtime.stop();
  project.remove();
});

const user = (content: string) => ({ role: "user" as const, content });

interface OfCadre {
  run_id: string;
  status: string;
  needs?: { approvalId: string }[];
  activity?: { title: string; type: string };
}
const cadre = (answer: object): OfCadre => (answer as { cadre: OfCadre }).cadre;

test("every main agent is a model; built-in agents are listed only if there are no other main agents", async () => {
  const ids = (await Array.fromAsync(await openai.models.list())).map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(["clerk", "writer"]));
  expect(ids).not.toContain("helper");
  expect(ids).not.toContain("ops/orchestrator");
  expect(await openai.models.retrieve("ops/orchestrator")).toMatchObject({
    object: "model",
    owned_by: "cadre",
  });
  await expect(openai.models.retrieve("nobody")).rejects.toMatchObject({ status: 404, code: "NOT_FOUND" });
});

test("a message starts a run, and the run's answer is the completion; the run gets earlier messages unchanged", async () => {
  const answer = await openai.chat.completions.create({
    model: "writer",
    messages: [
      { role: "system", content: "Be brief." },
      user("hi"),
      { role: "assistant", content: "ho" },
      user("and?"),
    ],
    temperature: 0,
  });
  const [{ message, finish_reason }] = answer.choices as [OpenAI.ChatCompletion.Choice];
  expect(message.content).toBe(
    "You said: and?\n\nThe conversation before this message:\n\n[system] Be brief.\n\n[user] hi\n\n[assistant] ho",
  );
  expect(finish_reason).toBe("stop");
  const { usage } = await api.client.get("/api/runs/{id}", { id: cadre(answer).run_id });
  expect(answer.usage).toMatchObject({
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
  });
});

test("a stream contains the text of the answer, the run's activity, and the usage if requested", async () => {
  const stream = await openai.chat.completions.create({
    model: "writer",
    messages: [user("tell")],
    stream: true,
    stream_options: { include_usage: true },
  });
  const chunks = await Array.fromAsync(stream);
  expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("")).toBe("You said: tell");
  expect(chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? [])).toEqual(["stop"]);
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
  expect(chunks.some((chunk) => cadre(chunk)?.activity?.type === "RUN_STARTED")).toBe(true);
  expect(chunks.some((chunk) => chunk.choices[0]?.delta.tool_calls !== undefined)).toBe(false);
});

describe("a run that waits for a person", () => {
  test("the answer says what the run waits for; after the decision, a repeated request returns the same run's result", async () => {
    const request = { model: "clerk", messages: [user("pay")] };
    const headers = { "Idempotency-Key": "one" };
    const waiting = await openai.chat.completions.create(request, { headers });
    const { run_id, needs } = cadre(waiting);
    const approvalId = needs![0]!.approvalId;
    expect(waiting.choices[0]!.message.content).toBe(
      `I pay.\n\nThis waits for a person, and continues once it is decided:\n- clerk › Pay: pay 5 to ann (cadre approve ${approvalId})\nSee ${server.url}/r/${run_id}`,
    );
    await api.client.post("/api/approvals/{id}", { id: approvalId, body: { decision: "approve" } });
    const done = await openai.chat.completions.create(request, { headers });
    expect(cadre(done)).toMatchObject({ run_id, status: "completed" });
    expect(done.choices[0]!.message.content).toBe("I pay.\n\nAnn has it.");
    const other = openai.chat.completions.create({ ...request, messages: [user("else")] }, { headers });
    await expect(other).rejects.toMatchObject({ status: 422, code: "UNPROCESSABLE" });
  });

  test("the stream stays open while the run waits, and continues after the decision", async () => {
    const stream = await openai.chat.completions.create({
      model: "clerk",
      messages: [user("pay")],
      stream: true,
    });
    let text = "";
    const titles: string[] = [];
    for await (const chunk of stream) {
      titles.push(cadre(chunk)?.activity?.title ?? "");
      text += chunk.choices[0]?.delta.content ?? "";
      const item = cadre(chunk)?.needs?.[0];
      if (item)
        await api.client.post("/api/approvals/{id}", { id: item.approvalId, body: { decision: "approve" } });
    }
    expect(text).toMatch(/^I pay\.\n\nThis waits for a person, .*\n\nAnn has it\.$/s);
    expect(titles).toContain('Done: Pay {"to":"ann","amount":5}');
  });
});

test("[D0] a message in a session answers the open question once, even if it is sent twice", async () => {
  const say = (text: string, key: string) =>
    openai.chat.completions.create(
      { model: "painter", messages: [user(text)], metadata: { session_id: "door" } },
      { headers: { "Idempotency-Key": key } },
    );
  const [question, again] = [await say("paint", "k1"), await say("paint", "k1")];
  for (const answer of [question, again])
    expect(answer.choices[0]!.message.content).toContain("Which colour?");
  const painted = await say("blue", "k2");
  expect(cadre(await say("blue", "k2"))).toEqual(cadre(painted));
  expect(painted.choices[0]!.message.content).toMatch(/^Answered by .+: blue$/);
  expect(cadre(painted)).toMatchObject({ run_id: cadre(question).run_id, status: "completed" });
  const additions = (await api.client.events(cadre(painted).run_id)).filter(
    ({ type }) => type === "CONTEXT_ADDED",
  );
  expect(additions).toEqual([]);
});

test("[D0] an answer can have the same text as the task; a refused file leaves the question open", async () => {
  const say = (content: OpenAI.ChatCompletionUserMessageParam["content"], key: string) =>
    openai.chat.completions.create(
      { model: "painter", messages: [{ role: "user", content }], metadata: { session_id: "gate" } },
      { headers: { "Idempotency-Key": key } },
    );
  const question = await say("blue", "g1");
  const page = `data:image/png;base64,${Buffer.from("<svg>").toString("base64")}`;
  const parts = [
    { type: "text" as const, text: "green" },
    { type: "image_url" as const, image_url: { url: page } },
  ];
  await expect(say(parts, "g2")).rejects.toThrow("Nothing was sent");
  const painted = await say("blue", "g3");
  expect(painted.choices[0]!.message.content).toMatch(/^Answered by .+: blue$/);
  expect(cadre(painted)).toMatchObject({ run_id: cadre(question).run_id, status: "completed" });
});

test("for a paused run, the answer says that only a command can continue it", async () => {
  const request = { model: "painter", messages: [user("paint")], metadata: { session_id: "wall" } };
  const { run_id: runId } = cadre(await openai.chat.completions.create(request));
  await api.client.post("/api/runs/{id}/pause", { id: runId });
  const held = await openai.chat.completions.create({ ...request, messages: [user("green")] });
  expect(cadre(held)).toMatchObject({ run_id: runId, status: "suspended" });
  expect(held.choices[0]!.message.content).toMatch(/^This has stopped, .*\n- painter › Paused/);
  await api.client.post("/api/runs/{id}/resume", { id: runId });
  await eventsUntil(api, runId, isEnd);
});

test("the agent sees the earlier messages of the session", async () => {
  const say = (text: string) =>
    openai.chat.completions.create({
      model: "writer",
      messages: [user(text)],
      metadata: { session_id: "s1" },
    });
  const [first, second] = [await say("one"), await say("two")];
  const run = await api.client.get("/api/runs/{id}", { id: cadre(second).run_id });
  expect(run).toMatchObject({ sessionId: "s1", task: "two" });
  const { messages } = await api.client.transcript(run.id);
  expect(JSON.stringify(messages)).toContain("You said: one");
  expect(cadre(first).run_id).not.toBe(run.id);
});

describe("errors have OpenAI's format and Cadre's codes", () => {
  const refusals: [string, object, object][] = [
    ["an unknown agent", { model: "nobody" }, { status: 400, code: "AGENT_NOT_FOUND" }],
    ["a subagent", { model: "helper" }, { status: 400, code: "BAD_REQUEST", type: "invalid_request_error" }],
    ["the client's own tools", { tools: [{ type: "function", function: { name: "f" } }] }, { status: 400 }],
    ["the client's own functions", { functions: [{ name: "f" }] }, { status: 400 }],
    ["several choices", { n: 2 }, { status: 400 }],
    [
      "a picture",
      { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "data:," } }] }] },
      { status: 400 },
    ],
    [
      "a last message that is not from a person",
      { messages: [{ role: "assistant", content: "hm" }] },
      { status: 400 },
    ],
    ["an agent whose run fails", { model: "loser" }, { status: 422, code: "RUN_FAILED" }],
  ];
  test.each(refusals)("a request with %s gets an error", async (_, change, refusal) => {
    const request = { model: "writer", messages: [user("hi")], ...change };
    await expect(openai.chat.completions.create(request)).rejects.toMatchObject(refusal);
  });

  test("the stream of a run that fails ends with an error", async () => {
    const stream = await openai.chat.completions.create({
      model: "loser",
      messages: [user("hi")],
      stream: true,
    });
    await expect(Array.fromAsync(stream)).rejects.toMatchObject({ code: "RUN_FAILED" });
  });

  test("[A14] a request with a wrong key is rejected as unauthorized", async () => {
    const stranger = new OpenAI({ apiKey: "wrong", baseURL: `${server.url}/v1`, maxRetries: 0 });
    await expect(stranger.models.list()).rejects.toMatchObject({
      status: 401,
      code: "UNAUTHORIZED",
      type: "authentication_error",
    });
  });
});

test("a run continues when its client disconnects", async () => {
  const stream = await openai.chat.completions.create({
    model: "clerk",
    messages: [user("pay")],
    stream: true,
  });
  let runId = "";
  for await (const chunk of stream) {
    runId = cadre(chunk).run_id;
    break;
  }
  const [item] = await waitForApprovals(api, runId);
  await api.client.post("/api/approvals/{id}", { id: item!.id, body: { decision: "approve" } });
  expect((await eventsUntil(api, runId, isEnd)).at(-1)!.type).toBe("RUN_COMPLETED");
});

test("[A09] a new token closes the streams that were opened with the old token", async () => {
  const stream = await openai.chat.completions.create({
    model: "clerk",
    messages: [user("pay")],
    stream: true,
  });
  const waiting = Promise.withResolvers<void>();
  const read = (async () => {
    for await (const chunk of stream) if (cadre(chunk)?.needs) waiting.resolve();
  })();
  await waiting.promise;
  server.replaceToken(`${TOKEN}-another`);
  await expect(read).rejects.toThrow();
  server.replaceToken(TOKEN);
});

describe("the answer if a model call is repeated", () => {
  const event = (type: string, payload: object) =>
    ({ type: "event", event: { runId: "r", seq: 1, position: 1, ts: 0, key: "", type, payload } }) as never;
  const delta = (attempt: number, text: string) =>
    ({ type: "delta", delta: { type: "text.delta", runId: "r", callId: "m1", attempt, text } }) as never;
  const thought = (text: string) =>
    event("AGENT_THOUGHT", { callId: "m1", content: [{ type: "text", text }] });
  const answerText = (items: never[]) => {
    const answer = createAnswerText("r");
    answer.add(event("MODEL_CALL_STARTED", { callId: "m1", model: "m" }));
    return items.map((item) => answer.add(item).text ?? "").join("");
  };
  test.each([
    [
      "[F05] text that the repeated call sends again appears once in the answer",
      [delta(1, "Hel"), delta(2, "He"), delta(2, "llo"), thought("Hello")],
      "Hello",
    ],
    ["text that was not streamed is sent from the journal", [delta(1, "He"), thought("Hello")], "Hello"],
    [
      "different text starts the answer over, with a note that says so",
      [delta(1, "Hum"), delta(2, "Hello"), thought("Hello")],
      expect.stringMatching(/^Hum\n\n\(The model was asked again.*\)\n\nHello$/),
    ],
  ])("%s", (_, items, text) => {
    expect(answerText(items as never[])).toEqual(text);
  });
});
