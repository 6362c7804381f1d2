// A chat page in Chromium: the AI SDK's chat talks to `cadre/ai`. The page is loaded again while the run waits for an approval.

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { build, type Rolldown } from "vite";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { answerApprovals, type UiMessage, uiResponse } from "../../src/ai.ts";
import { type Cadre, createCadre, defineAgent, defineTool } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing.ts";
import { withBrowser } from "./dashboard/browser.fixture.ts";

const browser = withBrowser();
const cleanUps: (() => unknown)[] = [];
afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
});

const refunds: string[] = [];
const refund = defineTool({
  ...{ name: "refund", description: "Refunds an order.", input: z.object({ order: z.string() }) },
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

test("[27.4] in a browser, a chat shows a run, reconnects to it after a reload, and approves its call", async () => {
  const cadre = await createCadre({ store: ":memory:", agents: [clerk] });
  cleanUps.push(() => cadre.close());
  const { page, problems } = await browser.open(await serveChat(cadre));
  await page.locator("input").fill("Refund order 7");
  await page.locator("form button").click();
  await page.getByText("assistant: I refund it.").waitFor();
  await page.getByText("refund approval-requested").waitFor();

  await page.reload();
  await page.getByText("refund approval-requested").waitFor();
  expect(refunds).toEqual([]);
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByText("assistant: Order 7 is refunded.").waitFor();
  expect(await page.locator("main p").allTextContents()).toEqual([
    "assistant: I refund it.",
    "refund output-available",
    "assistant: Order 7 is refunded.",
  ]);
  expect({ refunds, problems }).toEqual({ refunds: ["7"], problems: [] });
  expect(await cadre.runs()).toHaveLength(1);
});

/** The routes of examples/library/chat-server.ts, and the page. Returns the address of the page. */
async function serveChat(cadre: Cadre): Promise<string> {
  const script = await pageScript();
  const latest = async (session: string) => (await cadre.runs({ session, limit: 1 }))[0]?.id;
  const app = new Hono();
  app.get("/", (c) =>
    c.html(
      '<!doctype html><form><input><button>Send</button></form><main></main><script type="module" src="/page.js"></script>',
    ),
  );
  app.get("/page.js", (c) => c.body(script, 200, { "Content-Type": "text/javascript" }));
  app.get("/favicon.ico", (c) => c.body(null, 204));
  app.post("/api/chat", async (c) => {
    const { id, messages } = (await c.req.json()) as { id: string; messages: (UiMessage & { id: string })[] };
    const asked = await latest(id);
    if (asked !== undefined && (await answerApprovals(cadre, messages, { by: "ann" })))
      return uiResponse(cadre.get(asked), { from: "now" });
    const last = messages.at(-1)!;
    const text = last.parts.map((part) => ("text" in part ? part.text : "")).join("");
    return uiResponse(cadre.run(clerk, text, { session: id, key: last.id }));
  });
  app.get("/api/chat/:id/stream", async (c) => {
    const run = await latest(c.req.param("id"));
    return run === undefined ? c.body(null, 204) : uiResponse(cadre.get(run));
  });
  const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
  await once(server, "listening");
  cleanUps.push(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function pageScript(): Promise<string> {
  const built = (await build({
    ...{ configFile: false, logLevel: "error", define: { "process.env": "{}" } },
    build: {
      ...{ write: false, minify: false },
      rolldownOptions: { input: join(import.meta.dirname, "use-chat-page.js") },
    },
  })) as Rolldown.RolldownOutput;
  return built.output[0].code;
}
