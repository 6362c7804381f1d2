// Uses the AI SDK's own client: its transport reads our responses, and its reader builds the message that `useChat` shows.

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from "ai";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { answerApprovals, type UiMessage, uiChunks, uiResponse } from "../ai.ts";
import { type Cadre, createCadre, defineAgent, defineTool } from "../index.ts";
import { scriptedModel } from "../testing.ts";

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const refunds: string[] = [];
const refund = defineTool({
  name: "refund",
  description: "Refunds an order.",
  input: z.object({ order: z.string() }),
  execute: ({ order }) => {
    refunds.push(order);
    return { refunded: order };
  },
});
const clerk = defineAgent({
  name: "clerk",
  model: scriptedModel([
    { text: "I refund it.", calls: [{ tool: "refund", input: { order: "7" } }] },
    { text: "Order 7 is refunded." },
  ]),
  prompt: "Refund orders.",
  tools: [refund],
});

/** A chat server as an application would write it. */
async function chatServer(cadre: Cadre): Promise<string> {
  const latest = async (session: string) => (await cadre.runs({ session, limit: 1 }))[0]!.id;
  const handle = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (request.method === "GET") return uiResponse(cadre.get(await latest(pathname.split("/")[3]!)));
    const { id, messages } = (await request.json()) as { id: string; messages: UIMessage[] };
    if (await answerApprovals(cadre, messages as readonly UiMessage[], { by: "ann" }))
      return uiResponse(cadre.get(await latest(id)), { from: "now" });
    const last = messages.at(-1)!;
    const text = last.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
    return uiResponse(cadre.run(clerk, text, { session: id, key: last.id }));
  };
  const server = serve({ fetch: handle, port: 0, hostname: "127.0.0.1" });
  await once(server, "listening");
  cleanUps.push(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/chat`;
}

async function lastMessage(
  stream: ReadableStream<UIMessageChunk>,
  from?: UIMessage,
  until?: (m: UIMessage) => boolean,
) {
  let message: UIMessage | undefined;
  for await (const next of readUIMessageStream({ stream, ...(from && { message: from }) })) {
    message = next;
    if (until?.(next)) break;
  }
  return message!;
}

const isAsking = ({ parts }: UIMessage): boolean =>
  parts.some((part) => part.type === "dynamic-tool" && part.state === "approval-requested");

test("the AI SDK's client shows a run, reconnects to it, asks for approval, and shows the rest", async () => {
  const cadre = await createCadre({ store: ":memory:", agents: [clerk] });
  cleanUps.push(() => cadre.close());
  const transport = new DefaultChatTransport({ api: await chatServer(cadre) });
  const question: UIMessage = { id: "u1", role: "user", parts: [{ type: "text", text: "Refund order 7" }] };
  const send = (messages: UIMessage[]) =>
    transport.sendMessages({
      trigger: "submit-message",
      ...{ chatId: "c1", messageId: undefined, messages, abortSignal: undefined },
    });
  const asking = await lastMessage(await send([question]), undefined, isAsking);
  expect(asking.parts).toMatchObject([
    { type: "step-start" },
    { type: "text", text: "I refund it." },
    { type: "dynamic-tool", toolName: "refund", input: { order: "7" }, state: "approval-requested" },
  ]);

  const again = await lastMessage(
    (await transport.reconnectToStream({ chatId: "c1" }))!,
    undefined,
    isAsking,
  );
  expect(again.parts).toMatchObject(asking.parts.map(({ type }) => ({ type })));

  const answered = structuredClone(again);
  const call = answered.parts.find((part) => part.type === "dynamic-tool")!;
  Object.assign(call, {
    state: "approval-responded",
    approval: { id: (call as never as { approval: { id: string } }).approval.id, approved: true },
  });
  const done = await lastMessage(await send([question, answered]), answered);
  expect(done.parts).toMatchObject([
    { type: "step-start" },
    { type: "text", text: "I refund it." },
    { type: "dynamic-tool", state: "output-available", output: { refunded: "7" } },
    { type: "step-start" },
    { type: "text", text: "Order 7 is refunded." },
  ]);
  expect(refunds).toEqual(["7"]);
});

test("a failed run ends the stream with an error that says why", async () => {
  const model = scriptedModel([{ error: { status: 400, message: "no such model" } }]);
  const lost = defineAgent({ name: "lost", prompt: "Fail.", model });
  const cadre = await createCadre({ store: ":memory:", agents: [lost] });
  cleanUps.push(() => cadre.close());
  const lines = (await uiResponse(cadre.run(lost, "Try")).text()).split("\n\n");
  expect(lines.find((line) => line.includes('"error"'))).toContain("no such model");
  expect(lines.slice(-3)).toEqual(['data: {"type":"finish"}', "data: [DONE]", ""]);
});

test("[27.4] a reloaded page shows the second request after the call that it belongs to", async () => {
  const twice = defineAgent({
    name: "twice",
    model: scriptedModel([
      { calls: [{ tool: "refund", input: { order: "7" } }] },
      { calls: [{ tool: "refund", input: { order: "8" } }] },
      { text: "Both are refunded." },
    ]),
    prompt: "Refund orders.",
    tools: [refund],
  });
  const cadre = await createCadre({ store: ":memory:", agents: [twice] });
  cleanUps.push(() => cadre.close());
  const run = cadre.run(twice, "Refund both");
  await expect.poll(async () => (await run.approvals()).length).toBe(1);
  await (await run.approvals())[0]!.approve();
  await expect.poll(async () => (await run.approvals())[0]?.input).toEqual({ order: "8" });
  await expect.poll(async () => (await run.status()).status).toBe("suspended");
  const types: string[] = [];
  for await (const { type } of uiChunks(run)) types.push(type);
  expect(types.filter((type) => type.startsWith("tool-") || type === "finish")).toEqual([
    "tool-input-available",
    "tool-output-available",
    "tool-input-available",
    "tool-approval-request",
    "finish",
  ]);
});
