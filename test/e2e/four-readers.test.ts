// A browser, the command line, an MCP client and the `openai` package follow the same tree.
// The server is killed twice while they follow the tree, and restarts on the same port.
// Each client continues after its last event and sees every event once. No run starts twice.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import OpenAI from "openai";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Project, project } from "../../src/cli/cli.fixture.ts";
import type { JournalEvent } from "../../src/journal/events.ts";
import { openBrowser } from "../support/browser.ts";
import { kill, tailOf, up } from "../support/killed-server.ts";

const LEAD = "---\ndescription: Leads.\nmodel: scripted/desk\nagents: [clerk]\ntools: []\n---\nYou lead.\n";
const CLERK = "---\nkind: subagent\ndescription: Pays.\nmodel: scripted/desk\ntools: [Bash]\n---\nYou pay.\n";
/** The clerk's first model call gets no answer, so that the test can kill the server during this call. */
const DESK = `turns:
  - { when: { agent: lead, turn: 1 }, text: I have it paid., calls: [{ tool: delegate, input: { agent: clerk, task: pay } }] }
  - { when: { agent: lead }, text: All is paid. }
  - { when: { agent: clerk, turn: 1, attempt: 1 }, delay: 600000, text: Never. }
  - { when: { agent: clerk, turn: 1 }, calls: [{ tool: Bash, input: { command: echo paid >> paid.txt } }] }
  - { when: { agent: clerk }, report: { summary: Once. } }
`;

let p: Project;
beforeEach(async () => {
  p = await project({ "agents/lead.md": LEAD, "agents/clerk.md": CLERK, "desk.script.yaml": DESK });
});
afterEach(() => p[Symbol.asyncDispose]());

test("[F46] [P10] [F50] a browser, the command line, MCP and openai see the same events, even if the server is killed twice", async () => {
  const first = await up(p, "0");
  const { port } = new URL(first.url);
  const token = readFileSync(join(p.folder, ".cadre/token"), "utf8").trim();
  const chat = chatOf(first.url, token);
  const { runId } = await chat.started;
  using browser = await openBrowser(first.link);
  const page = browser.follow(runId);
  const cli = tailOf(p, runId);
  const mcp = mcpReader(first.url, token, runId);
  const all = (fits: (event: JournalEvent) => boolean) =>
    Promise.all([page.sees(fits), cli.sees(fits), mcp.sees(fits)]);

  await all(({ type, runId: of }) => type === "MODEL_CALL_STARTED" && of !== runId);
  await kill(first.process);
  const second = await up(p, port);
  await all(({ type }) => type === "TOOL_PROPOSED");
  await expect.poll(chat.text, { timeout: 60_000 }).toMatch(/I have it paid\.\n\nThis waits for a person/);
  await kill(second.process);
  const third = await up(p, port);

  const { needs } = await mcp.call("run_status", { runId });
  expect(await mcp.call("approve", { approvalId: needs[0].approvalId })).toMatchObject({
    alreadyDecided: false,
  });
  await Promise.all([page.ended, cli.ended, mcp.ended, chat.ended]);

  const journal: JournalEvent[] = (await browser.ask("GET", `/api/runs/${runId}/events?tree=1`)).body.events;
  for (const reader of [page, cli, mcp]) expect(reader.events).toEqual(journal);
  expect(journal.find(({ type }) => type === "APPROVAL_DECIDED")?.payload).toMatchObject({
    by: expect.stringMatching(/ via MCP$/),
  });
  expect(chat.text()).toMatch(/^I have it paid\.\n\n(This waits for a person.*\n\n)?All is paid\.$/s);
  expect(chat.losses()).toBeGreaterThan(1);
  expect((await browser.ask("GET", "/api/runs?roots=1")).body.runs).toHaveLength(1);
  expect(readFileSync(join(p.folder, "paid.txt"), "utf8")).toBe("paid\n");
  third.process.process.kill("SIGTERM");
  expect((await third.process.end()).code).toBe(0);
});

/** Pause before a client repeats a request while the server is down. */
const AGAIN_MS = 200;

/** A chat client that repeats its request with the same idempotency key until it has the whole answer. */
function chatOf(url: string, apiKey: string) {
  const openai = new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });
  const { promise: started, resolve } = Promise.withResolvers<{ runId: string }>();
  let text = "";
  let losses = 0;
  const ask = async (): Promise<void> => {
    const stream = await openai.chat.completions.create(
      { model: "lead", messages: [{ role: "user", content: "pay" }], stream: true },
      { headers: { "Idempotency-Key": "pay-once" } },
    );
    text = "";
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      const { run_id } = (chunk as unknown as { cadre?: { run_id?: string } }).cadre ?? {};
      if (run_id !== undefined) resolve({ runId: run_id });
    }
  };
  const isWhole = async (): Promise<boolean> =>
    ask().then(
      () => text.endsWith("All is paid."),
      () => false,
    );
  const ended = (async () => {
    while (!(await isWhole())) {
      losses++;
      await pause(AGAIN_MS);
    }
  })();
  return { started, ended, text: () => text, losses: () => losses };
}

/** An MCP client that reads the journal page by page. It opens a new connection for each page. */
function mcpReader(url: string, token: string, runId: string) {
  const events: JournalEvent[] = [];
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  const call = async (name: string, args: Record<string, unknown>): Promise<any> => {
    for (;;) {
      const client = new Client({ name: "reader", version: "1" }, { versionNegotiation: { mode: "auto" } });
      try {
        const headers = { Authorization: `Bearer ${token}` };
        await client.connect(
          new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
        );
        return (await client.callTool({ name, arguments: args })).structuredContent;
      } catch {
        await pause(AGAIN_MS);
      } finally {
        await client.close().catch(() => {});
      }
    }
  };
  const isOver = (): boolean =>
    events.some((event) => event.runId === runId && event.type === "RUN_COMPLETED");
  const ended = (async () => {
    while (!isOver()) {
      const after = events.at(-1)?.position ?? 0;
      const page = await call("run_events", { runId, after, tree: true, limit: 3 });
      events.push(...page.events);
      if (page.events.length === 0) await pause(AGAIN_MS);
    }
  })();
  return {
    events,
    call,
    ended,
    sees: (fits: (event: JournalEvent) => boolean) =>
      expect.poll(() => events.some(fits), { timeout: 60_000 }).toBe(true),
  };
}
