import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { tool as aiTool, jsonSchema } from "ai";
import { type } from "arktype";
import * as v from "valibot";
import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  type Agent,
  type ApprovalRequest,
  CadreClosed,
  type CadreOptions,
  type CadreProblem,
  createCadre,
  defineAgent,
  defineTool,
  delegate,
  RunFailed,
  type RunPart,
  run as runOnce,
  tool,
} from "../index.ts";
import { scriptedModel } from "../testing.ts";

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "cadre-library-"));
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

async function open(options: CadreOptions = {}) {
  const cadre = await createCadre({ folder: newFolder(), store: ":memory:", ...options });
  cleanUps.push(() => cadre.close());
  return cadre;
}

function refundDesk() {
  const refunds: { order: string; key: string }[] = [];
  const refund = defineTool({
    name: "refund",
    description: "Refunds an order.",
    input: z.object({ order: z.string(), cents: z.number() }),
    preview: ({ order, cents }) => `Refund ${cents} cents of order ${order}`,
    execute: ({ order, cents }, { key }) => {
      refunds.push({ order, key });
      return { refunded: cents };
    },
  });
  const clerk = defineAgent({
    name: "clerk",
    model: scriptedModel([
      { calls: [{ tool: "refund", input: { order: "7", cents: 500 } }] },
      { report: { summary: "Refunded.", output: { refunded: 500 } } },
    ]),
    prompt: "Refund what is asked for.",
    tools: [refund],
    output: z.object({ refunded: z.number() }),
  });
  return { clerk, refunds };
}

test("`await run` returns the typed answer, and a handler in the program approves the unsafe call", async () => {
  const { clerk, refunds } = refundDesk();
  const cadre = await open({ agents: [clerk] });
  const seen: ApprovalRequest[] = [];
  const run = cadre.run(clerk, "Refund order 7").onApproval(async (request) => {
    seen.push(request);
    await request.approve({ by: "ann" });
  });
  const { output, text, cost, id } = await run;
  expect(output.refunded).toBe(500);
  expect({ text, cost, id }).toEqual({ text: "Refunded.", cost: 0, id: await run.id });
  expect(refunds).toEqual([{ order: "7", key: expect.any(String) }]);
  expect(seen).toMatchObject([
    { kind: "tool", tool: "refund", agent: "clerk", preview: "Refund 500 cents of order 7" },
  ]);
  const decided = (await run.journal()).find(({ type }) => type === "APPROVAL_DECIDED");
  expect(decided?.payload).toMatchObject({ decision: "approve", by: "ann" });
});

test("the answer is text if the agent has no output schema", async () => {
  const hello = defineAgent({
    name: "hello",
    prompt: "Greet.",
    model: scriptedModel([{ text: "Hello, Ada!" }]),
  });
  const cadre = await open({ agents: [hello] });
  const { output } = await cadre.run(hello, "Say hello to Ada");
  expect(output.toUpperCase()).toBe("HELLO, ADA!");
});

test("a run continues after a restart, and the same key returns the same run", async () => {
  const options = { folder: newFolder(), store: "data/cadre.db" };
  const first = refundDesk();
  const before = await open({ ...options, agents: [first.clerk] });
  const waiting = before.run(first.clerk, "Refund order 7", { key: "ticket-7" });
  const id = await waiting.id;
  await expect.poll(async () => (await waiting.status()).status).toBe("suspended");
  const cut = expect(waiting.result).rejects.toThrow(CadreClosed);
  await before.close();
  await cut;

  const second = refundDesk();
  const after = await open({ ...options, agents: [second.clerk] });
  const again = after.run(second.clerk, "Refund order 7", { key: "ticket-7" });
  expect(await again.id).toBe(id);
  const [request] = await after.get(id).approvals();
  await request!.approve();
  expect((await after.get(id, second.clerk)).output).toEqual({ refunded: 500 });
  expect((await again).output).toEqual({ refunded: 500 });
  expect(first.refunds.length + second.refunds.length).toBe(1);
});

test("a failed run rejects with RunFailed, which says why", async () => {
  const model = scriptedModel([{ error: { status: 400, message: "no such model" } }]);
  const lost = defineAgent({ name: "lost", prompt: "Fail.", model });
  const cadre = await open({ agents: [lost] });
  const failed = await cadre.run(lost, "Try").result.catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(RunFailed);
  expect(failed).toMatchObject({ status: "failed", stopReason: "provider" });
  expect(String(failed)).toContain("no such model");
});

test("[27.3] while a provider fails, the stream says why the run waits, and until when", async () => {
  const model = scriptedModel([
    { when: { attempt: 1 }, error: { status: 503, message: "too busy", retryAfter: 0.01 } },
    { text: "Back." },
  ]);
  const patient = defineAgent({ name: "patient", prompt: "Wait.", model });
  const cadre = await open({ agents: [patient] });
  const waits: RunPart[] = [];
  for await (const part of cadre.run(patient, "Try").stream) if (part.type === "waiting") waits.push(part);
  expect(waits).toMatchObject([
    {
      kind: "provider",
      agent: "patient",
      until: expect.any(Number),
      detail: expect.stringContaining("too busy"),
    },
  ]);
});

test("[27.3] if the answers do not fit the output schema, RunFailed says which part does not fit", async () => {
  const model = scriptedModel(() => ({ report: { summary: "Refunded.", output: { refunded: "5 euros" } } }));
  const output = z.object({ refunded: z.number() });
  const clerk = defineAgent({ name: "clerk", prompt: "Refund.", model, output });
  const cadre = await open({ agents: [clerk] });
  await expect(cadre.run(clerk, "Refund order 7").result).rejects.toMatchObject({
    stopReason: "invalid_output",
    message: expect.stringMatching(/^The report did not fit, twice\. [\s\S]*expected number[\s\S]*refunded/),
  });
});

test("[27.3] a program without any handler reads once that its run waits, and how to decide, also after a restart", async () => {
  const { clerk } = refundDesk();
  const options = { folder: newFolder(), store: "data/cadre.db", agents: [clerk] };
  const cadre = await open(options);
  const print = vi.spyOn(console, "error").mockImplementation(() => {});
  cleanUps.push(() => print.mockRestore());
  const ids = [await cadre.run(clerk, "Refund order 7").id, await cadre.run(clerk, "Refund order 8").id];
  await expect.poll(() => print.mock.calls.length).toBe(1);
  expect(ids.join()).toContain(/Run (\w+) of clerk/.exec(String(print.mock.calls[0]))![1]);
  expect(print.mock.calls[0]).toEqual([
    expect.stringMatching(/waits for a person's decision \(tool refund\)\. .*`run\.onApproval/),
  ]);
  await cadre.close();
  const again = await open(options);
  again.get(ids[1]!).result.catch(() => {});
  await expect.poll(() => String(print.mock.calls[1])).toContain(`Run ${ids[1]} of clerk waits`);
  const another = await open({ agents: [clerk] });
  await another.run(clerk, "Refund order 9").onApproval((request) => request.approve());
  expect(print).toHaveBeenCalledTimes(2);
});

test("[27.3] a run of an agent that is not listed is refused, and the error says where to list it", async () => {
  const { clerk } = refundDesk();
  const cadre = await open();
  expect(() => cadre.run(clerk, "Refund order 7")).toThrow(
    "The agent `clerk` is not listed. List it when you open Cadre, `createCadre({ agents: [clerk] })`",
  );
});

test("a cancelled run rejects with RunFailed", async () => {
  const { clerk } = refundDesk();
  const cadre = await open({ agents: [clerk] });
  const run = cadre.run(clerk, "Refund order 7");
  await expect.poll(async () => (await run.status()).status).toBe("suspended");
  const failed = expect(run.result).rejects.toMatchObject({ status: "cancelled", stopReason: "user" });
  await run.cancel("Wrong order.");
  await failed;
});

test("a call that names an unknown agent or run throws", async () => {
  const cadre = await open();
  await expect(cadre.run("nobody", "Do it").result).rejects.toMatchObject({ code: "AGENT_NOT_FOUND" });
  await expect(cadre.get("r0").result).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("the stream contains the text, the calls and the children of the whole tree, live and later from the journal", async () => {
  const reader = defineAgent({
    name: "reader",
    description: "Reads notes.",
    model: scriptedModel([{ text: "The note says 7." }]),
    prompt: "Read.",
  });
  const boss = defineAgent({
    name: "boss",
    model: scriptedModel([
      {
        text: "I ask the reader.",
        calls: [{ tool: "delegate", input: { agent: "reader", task: "Read it" } }],
      },
      { text: "It is 7." },
    ]),
    prompt: "Lead.",
    agents: [reader],
  });
  const cadre = await open({ agents: [boss] });
  const run = cadre.run(boss, "What does the note say?");
  const live: RunPart[] = [];
  for await (const part of run.stream) live.push(part);
  expect((await run).output).toBe("It is 7.");
  const again: RunPart[] = [];
  for await (const part of run.stream) again.push(part);
  const recorded = (parts: RunPart[]) => parts.filter(({ type }) => !type.endsWith("-delta"));
  expect(recorded(live)).toEqual(again);
  // A parent can begin to wait before or after its child has ended.
  const steps = again.filter(({ type }) => type !== "waiting");
  expect(steps.map(({ agent, type }) => `${agent} ${type}`)).toEqual([
    "boss started",
    "boss text",
    "boss tool-call",
    "reader started",
    "reader text",
    "reader ended",
    "boss tool-result",
    "boss text",
    "boss ended",
  ]);
  const typed = live.flatMap((part) =>
    part.type === "text-delta" && part.agent === "boss" ? [part.text] : [],
  );
  expect(typed.join("")).toBe("I ask the reader.It is 7.");
  const texts: string[] = [];
  for await (const text of run.textStream) texts.push(text);
  expect(texts.join("")).toBe("I ask the reader.\n\nIt is 7.");
});

test("the root run's handler gets a child's approval request; if the handler throws, the request stays open", async () => {
  const { clerk } = refundDesk();
  const boss = defineAgent({
    name: "boss",
    model: scriptedModel([
      { calls: [{ tool: "delegate", input: { agent: "clerk", task: "Refund order 7" } }] },
      { text: "It is done." },
    ]),
    prompt: "Lead.",
    agents: [clerk],
  });
  const problems: string[] = [];
  const cadre = await open({ agents: [boss], onProblem: ({ message }) => problems.push(message) });
  const run = cadre.run(boss, "Refund order 7").onApproval(() => {
    throw new Error("Slack is away");
  });
  await expect.poll(() => problems).toEqual([expect.stringContaining("failed: Slack is away")]);
  const [request] = await run.approvals();
  expect(request).toMatchObject({ agent: "clerk", tool: "refund" });
  await request!.approve();
  expect((await run).text).toBe("It is done.");
});

test("[27] a tool without a name gets it from the agents that list it; without any name it is refused", async () => {
  const weather = defineTool({
    description: "The weather of a city.",
    input: z.object({ city: z.string() }),
    effect: "read",
    execute: ({ city }) => `${city}: 7 degrees`,
  });
  const guide = (name: string) =>
    defineAgent({
      ...{ name, prompt: "Guide.", tools: { weather } },
      model: scriptedModel(({ turn, lastResult = "" }) =>
        turn === 1 ? { calls: [{ tool: "weather", input: { city: "Ulm" } }] } : { text: lastResult },
      ),
    });
  const agents = [guide("day"), guide("night")];
  const cadre = await open({ agents });
  for (const agent of agents) expect((await cadre.run(agent, "Ulm?")).text).toContain("Ulm: 7 degrees");
  expect(() => defineAgent({ name: "lost", prompt: "Guide.", tools: [weather] })).toThrow(/has no name/);
});

test("tools of the AI SDK work unchanged; their calls need approval, because the tools do not declare what they change", async () => {
  const asked: string[] = [];
  const weather = aiTool({
    description: "The weather of a city.",
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => ({ city, degrees: 7 }),
  });
  const time = aiTool({
    description: "The time.",
    inputSchema: jsonSchema<{ zone: string }>({ type: "object", properties: { zone: { type: "string" } } }),
    execute: ({ zone }) => `Noon in ${zone}`,
  });
  const guide = defineAgent({
    name: "guide",
    prompt: "Guide.",
    model: scriptedModel(({ turn, lastResult = "" }) =>
      turn === 1
        ? {
            calls: [
              { tool: "weather", input: { city: "Ulm" } },
              { tool: "time", input: { zone: "CET" } },
            ],
          }
        : { text: lastResult },
    ),
    tools: { weather, time },
  });
  const cadre = await open({ agents: [guide], permissions: { allow: ["time"] } });
  const run = cadre.run(guide, "How is it in Ulm?").onApproval((request) => {
    asked.push(request.tool!);
    return request.approve();
  });
  expect((await run).text).toContain("Noon in CET");
  expect(asked).toEqual(["weather"]);
  const results = (await run.journal()).flatMap(({ type, payload }) =>
    type === "TOOL_RESULT" ? [payload.output] : [],
  );
  expect(results).toEqual([{ city: "Ulm", degrees: 7 }, "Noon in CET"]);
});

test.each([
  ["zod", z.object({ city: z.string() })],
  ["valibot", toStandardJsonSchema(v.object({ city: v.string() }))],
  ["arktype", type({ city: "string" })],
])("an input schema of %s is offered to the model and checked", async (_, input) => {
  const cities: string[] = [];
  const look = defineTool<{ city: string }, string>({
    name: "look",
    description: "Looks at a city.",
    input,
    effect: "read",
    execute: ({ city }) => {
      cities.push(city);
      return "Seen.";
    },
  });
  const guide = defineAgent({
    name: "guide",
    prompt: "Guide.",
    model: scriptedModel([
      { calls: [{ tool: "look", input: { city: ["Ulm"] } }] },
      { calls: [{ tool: "look", input: { city: "Ulm" } }] },
      { text: "Done." },
    ]),
    tools: [look],
  });
  const cadre = await open({ agents: [guide] });
  const run = cadre.run(guide, "Look");
  await run;
  expect(cities).toEqual(["Ulm"]);
  const [wrong] = (await run.journal()).flatMap(({ type, payload }) =>
    type === "TOOL_RESULT" ? [payload] : [],
  );
  expect(wrong).toMatchObject({ isError: true, output: expect.stringContaining("city") });
});

test("an unsupported schema is refused when the tool or the agent is defined", () => {
  const wrong = { input: { city: "string" } as never, name: "look", description: "", execute: () => "" };
  expect(() => defineTool(wrong)).toThrow(
    "The input of the tool look is neither a Standard Schema nor a JSON Schema",
  );
  expect(() => defineTool({ ...wrong, input: v.object({ city: v.string() }) })).toThrow(
    "of valibot gives no JSON Schema",
  );
  expect(() => defineAgent({ name: "a", prompt: "", output: 7 as never })).toThrow(
    "The output of the agent a is no schema",
  );
  expect(() => defineTool({ ...wrong, name: "no good" })).toThrow('"no good" cannot be the name of a tool');
  const model = { specificationVersion: "v2", provider: "x", modelId: "y" } as never;
  expect(() => defineAgent({ name: "a", prompt: "", model })).toThrow("version v2");
});

test("two different tools, or two different agents, with the same name are refused", async () => {
  const make = () => refundDesk().clerk;
  await expect(open({ agents: [make(), make()] })).rejects.toThrow("Two agents have the name clerk");
});

test("an answer that breaks a rule of the schema that JSON Schema cannot express rejects the run's promise", async () => {
  const even = z.object({ n: z.number().refine((n) => n % 2 === 0, "must be even") });
  const model = scriptedModel([{ report: { summary: "Three.", output: { n: 3 } } }]);
  const counter = defineAgent({ name: "counter", prompt: "Count.", model, output: even });
  const cadre = await open({ agents: [counter] });
  await expect(cadre.run(counter, "Count").result).rejects.toMatchObject({
    stopReason: "invalid_output",
    message: "The answer does not fit the output schema: n: must be even.",
  });
});

test("[27.3] a failure while Cadre reads the open requests is reported, and the handlers of later requests are called", async () => {
  const { clerk } = refundDesk();
  const folder = newFolder();
  const problems: CadreProblem[] = [];
  const onProblem = (problem: CadreProblem) => void problems.push(problem);
  const cadre = await open({ folder, store: "data/cadre.db", agents: [clerk], onProblem });
  const database = new DatabaseSync(join(folder, "data/cadre.db"));
  cleanUps.push(() => database.close());
  const called: string[] = [];
  database.exec("ALTER TABLE approvals RENAME TO lost");
  cadre.onApproval((request) => {
    called.push(request.tool!);
    return request.approve();
  });
  await expect
    .poll(() => problems)
    .toMatchObject([{ message: expect.stringMatching(/^Open requests could not be read/) }]);
  database.exec("ALTER TABLE lost RENAME TO approvals");
  expect((await cadre.run(clerk, "Refund order 7")).output).toEqual({ refunded: 500 });
  expect(called).toEqual(["refund"]);
});

test("a generator in the program can control an agent, and continues after a restart", async () => {
  const log: string[] = [];
  const note = defineTool({
    name: "note",
    description: "Writes a note.",
    input: z.object({ text: z.string() }),
    effect: "idempotent",
    approve: false,
    execute: ({ text }) => void log.push(text),
  });
  const helper = defineAgent({
    name: "helper",
    description: "Helps.",
    model: scriptedModel([{ text: "Helped." }]),
    prompt: "Help.",
  });
  const make = (): Agent<string> =>
    defineAgent({
      name: "planner",
      prompt: "Plan.",
      model: scriptedModel([{ text: "unused" }]),
      tools: [note],
      agents: [helper],
      *steps({ task }) {
        yield* tool("note", { text: task });
        const { summary } = yield* delegate("helper", "Help me");
        return `First ${task}, then: ${summary}`;
      },
    });
  const planner = make();
  const cadre = await open({ agents: [planner] });
  const { output } = await cadre.run(planner, "think");
  expect(output).toBe("First think, then: Helped.");
  expect(log).toEqual(["think"]);
});

test("patterns accept agents as objects", async () => {
  const second = defineAgent({
    name: "second",
    description: "Finishes.",
    model: scriptedModel([{ text: "Finished." }]),
    prompt: "Finish.",
  });
  const first = defineAgent({
    name: "first",
    model: scriptedModel([{ text: "Begun." }]),
    prompt: "Begin.",
    handoff: second,
  });
  const cadre = await open({ agents: [first] });
  expect((await cadre.run(first, "Work")).text).toBe("Finished.");
});

test("the second run of a session gets the second message", async () => {
  const chat = defineAgent({
    name: "chat",
    prompt: "Talk.",
    model: scriptedModel(({ lastUser }) => ({ text: `You said: ${lastUser}` })),
  });
  const cadre = await open({ agents: [chat] });
  await cadre.run(chat, "One", { session: "s1" });
  const { text, report } = await cadre.run(chat, "Two", { session: "s1" });
  expect(text).toContain("Two");
  expect(report.status).toBe("completed");
});

test("the fetch handler serves the API only to users whom `authorize` names, and records the name with each decision", async () => {
  const { clerk } = refundDesk();
  const cadre = await open({ agents: [clerk] });
  const handle = cadre.handler({
    basePath: "/cadre",
    authorize: (request) => request.headers.get("X-User") ?? undefined,
  });
  const run = cadre.run(clerk, "Refund order 7");
  await expect.poll(async () => (await run.status()).status).toBe("suspended");
  const send = (path: string, init: RequestInit = {}) => handle(new Request(`http://localhost${path}`, init));
  const ann = { "X-User": "ann", "Content-Type": "application/json" };
  expect((await send("/cadre/api/runs")).status).toBe(401);
  expect((await send("/api/runs", { headers: ann })).status).toBe(404);
  const listed = await (await send("/cadre/api/approvals", { headers: ann })).json();
  const [{ id }] = listed.approvals;
  const body = JSON.stringify({ decision: "approve" });
  const decided = await send(`/cadre/api/approvals/${encodeURIComponent(id)}`, {
    method: "POST",
    headers: ann,
    body,
  });
  expect(decided.status).toBe(200);
  expect((await run).output).toEqual({ refunded: 500 });
  const event = (await run.journal()).find(({ type }) => type === "APPROVAL_DECIDED");
  expect(event?.payload).toMatchObject({ by: "ann" });
});

test("a wrong argument is refused before it reaches the journal", async () => {
  const { clerk } = refundDesk();
  const cadre = await open({ agents: [clerk] });
  const run = cadre.run(clerk, "Refund order 7");
  await expect.poll(async () => (await run.approvals()).length).toBe(1);
  const [request] = await run.approvals();
  const wrong = 42 as never;
  await expect(request!.approve({ by: wrong })).rejects.toMatchObject({ code: "BAD_REQUEST" });
  await expect(request!.reject({ reason: "no" } as never)).rejects.toMatchObject({ code: "BAD_REQUEST" });
  await expect(run.cancel(wrong)).rejects.toThrow("`reason` must be text, not number.");
  await expect(run.message(wrong)).rejects.toMatchObject({ code: "BAD_REQUEST" });
  expect(() => cadre.run(clerk, wrong)).toThrow("`task` must be text, not number.");
  expect(() => cadre.get(undefined as never)).toThrow("`runId` must be text");
  expect(() => cadre.run(undefined as never, "Go")).toThrow("not made by defineAgent");
  expect(() => cadre.run(clerk, "Go", { keey: "x" } as never)).toThrow("`keey` is no option of a run.");
  await request!.approve();
  expect((await run).output).toEqual({ refunded: 500 });
});

test("a preview that throws shows the input instead, and the run goes on", async () => {
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    input: z.object({ cents: z.number() }),
    preview: () => {
      throw new Error("no preview today");
    },
    execute: () => "Paid.",
  });
  const model = scriptedModel([{ calls: [{ tool: "pay", input: { cents: 5 } }] }, { text: "Paid." }]);
  const payer = defineAgent({ name: "payer", prompt: "Pay.", model, tools: [pay] });
  const cadre = await open({ agents: [payer] });
  const previews: (string | undefined)[] = [];
  const run = cadre.run(payer, "Pay").onApproval((request) => {
    previews.push(request.preview);
    return request.approve();
  });
  expect((await run).text).toBe("Paid.");
  expect(previews[0]).toMatch(/"cents": 5[\s\S]*no preview today/);
});

test("agents with equal scripts keep their own models", async () => {
  const say = (text: string) => scriptedModel(() => ({ text }));
  const a = defineAgent({ name: "a", prompt: "A.", model: say("I am A") });
  const b = defineAgent({ name: "b", prompt: "B.", model: say("I am B") });
  const cadre = await open({ agents: [a, b] });
  expect([(await cadre.run(a, "Who?")).text, (await cadre.run(b, "Who?")).text]).toEqual([
    "I am A",
    "I am B",
  ]);
});

test("a JSON Schema is checked like every other schema", async () => {
  const numbers: unknown[] = [];
  const input = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  const add = defineTool<{ n: number }, string>({
    ...{ name: "add", description: "Adds.", effect: "read", input },
    execute: ({ n }) => String(numbers.push(n)),
  });
  const model = scriptedModel([
    { calls: [{ tool: "add", input: { n: ["x"] } }] },
    { calls: [{ tool: "add", input: { n: 1 } }] },
    { text: "Done." },
  ]);
  const adder = defineAgent({ name: "adder", prompt: "Add.", model, tools: [add] });
  await (await open({ agents: [adder] })).run(adder, "Add");
  expect(numbers).toEqual([1]);
});

test("a run without any model is refused, because the answer of the rehearsal model looks like success", async () => {
  const lost = defineAgent({ name: "lost", prompt: "Answer." });
  const cadre = await open({ agents: [lost], env: {} });
  await expect(cadre.run(lost, "Go").result).rejects.toMatchObject({ code: "PROVIDER_KEY_MISSING" });
});

test("the stream and the journal of an unknown run are refused", async () => {
  const cadre = await open();
  const read = async () => {
    for await (const part of cadre.get("r0").stream) expect(part).toBeUndefined();
  };
  await expect(read()).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(cadre.get("r0").journal()).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test.each([["mysql://x"], [""]])("the store %j is refused", async (store) => {
  await expect(createCadre({ store })).rejects.toMatchObject({ code: "CONFIG_INVALID" });
});

test("in a session, the run's rules apply, and an option that would be lost is refused", async () => {
  const { clerk, refunds } = refundDesk();
  const cadre = await open({ agents: [clerk] });
  const limited = cadre.run(clerk, "Refund order 7", { session: "s1", limits: { maxTurns: 1 } });
  await expect(limited.result).rejects.toThrow("`limits` cannot be given together with `session`");
  const permissions = { allow: [], ask: [], deny: ["refund"] };
  await cadre.run(clerk, "Refund order 7", { session: "s1", permissions });
  expect(refunds).toEqual([]);
});

test("a pack's agent without a model is also refused if it is started by its short name", async () => {
  const cadre = await open({ env: {} });
  await expect(cadre.run("supervisor", "Plan").result).rejects.toMatchObject({
    code: "PROVIDER_KEY_MISSING",
  });
});

test("[27.1] `run` opens Cadre for one run, and a second run at the same time gets a sentence that says what to do", async () => {
  const { clerk, refunds } = refundDesk();
  const options = { folder: newFolder(), store: "data/cadre.db", key: "ticket-7" };
  const asked = Promise.withResolvers<ApprovalRequest>();
  const first = runOnce(clerk, "Refund order 7", options).onApproval(asked.resolve);
  const request = await asked.promise;
  await expect(runOnce(clerk, "Refund order 7", options).then()).rejects.toThrow("call createCadre once");
  await request.approve();
  expect((await first).output.refunded).toBe(500);
  const parts: string[] = [];
  for await (const { type } of runOnce(clerk, "Refund order 7", options).stream) parts.push(type);
  expect(parts.at(-1)).toBe("ended");
  expect((await runOnce(clerk, "Refund order 7", options)).id).toBe(await first.id);
  expect(refunds).toHaveLength(1);
});

test("[26.12] in an untrusted folder with its own providers, a program learns that they are ignored, and what to do", async () => {
  const folder = newFolder();
  const providers = '{ lab: { type: openai-compatible, baseURL: "http://127.0.0.1:9/v1" } }';
  writeFileSync(join(folder, "cadre.yaml"), `model: lab/x\nproviders: ${providers}\n`);
  const cadre = await open({ folder, env: {} });
  await expect(cadre.run("assistant", "hello")).rejects.toThrow(
    /^The model "lab\/x" cannot be used: this folder is not trusted, .*`cadre trust`/,
  );
});
