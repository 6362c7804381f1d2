// The server whose events the readers receive: Cadre's own or a bare one. It writes on command and reports the cost.

import { mkdtempSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BUILT_PAGE, startPublicServer } from "../src/api/server/public-server.ts";
import { openSettings } from "../src/api/server/settings-file.ts";
import { assembleRuntime } from "../src/runtime/assembly.ts";
import type { Load } from "./sse.ts";

const load = JSON.parse(process.argv[2]!) as Load;
const { url, headers, write } = await (load.server === "cadre" ? cadre() : floor());
process.send!({ url, headers });
process.once("message", () => void measure());

async function measure(): Promise<void> {
  const total = load.perSecond * load.seconds;
  const held = heldBytes();
  const before = process.cpuUsage();
  const began = performance.now();
  for (let at = 0; at < total; at++) {
    const due = began + (at * 1_000) / load.perSecond;
    const wait = due - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    await write(`n${at}|${(Date.now() + (performance.now() % 1)).toFixed(3)}`);
  }
  const { user, system } = process.cpuUsage(before);
  const growth = (heldBytes() - held) / 1024 / 1024;
  process.send!({ cpu: (user + system) / 1_000 / load.seconds, growth });
}

function heldBytes(): number {
  globalThis.gc!();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function cadre() {
  const folder = mkdtempSync(join(tmpdir(), "cadre-bench-"));
  const runtime = await assembleRuntime({ folder, home: folder, env: { XDG_CONFIG_HOME: folder } });
  const {
    store,
    people,
    admit,
    retry,
    fork,
    say,
    agents,
    explain,
    agentFile,
    workspaceTree,
    onDelta,
    openTexts,
    parts,
  } = runtime;
  const { runId } = await admit({ agent: "assistant", task: "be watched" });
  // Keeps the run in memory as if a driver worked on it; the store reads an idle run again for every append.
  await store.leases.acquire(runId, "bench");
  let after = 1;
  const token = "a-token-that-is-long-enough-for-it";
  const server = await startPublicServer(
    {
      ...{
        store,
        people,
        admit,
        retry,
        fork,
        say,
        agents,
        explain,
        agentFile,
        workspaceTree,
        onDelta,
        openTexts,
      },
      replay: runtime.replay,
      replayAgent: runtime.replayAgent,
      sentRequest: runtime.sentRequest,
      systemPrompt: parts.systemPrompt,
      settings: openSettings(folder),
      schedules: runtime.schedules,
      inbound: runtime.inbound,
      web: {},
      projects: { list: async () => [], link: () => Promise.reject(new Error("There is no other project.")) },
      info: {
        version: "0",
        folder,
        command: "cadre",
        startedAt: 0,
        drives: false,
        isShared: false,
        model: "scripted",
      },
      who: () => "bench",
      checks: async () => [],
      onProblem: ({ error }) => console.error(error),
    },
    { host: "127.0.0.1", port: 0, token, names: [], page: BUILT_PAGE },
  );
  return {
    url: `${server.url}/api/runs/${runId}/events?tree=1&stream=1&follow=1`,
    headers: { Authorization: `Bearer ${token}` },
    write: async (id: string) => {
      const payload = { id, source: "person" as const, text: "x".repeat(200) };
      const { events } = await store.journal.append({
        runId,
        after,
        events: [{ type: "CONTEXT_ADDED", payload }],
      });
      after = events.at(-1)!.seq;
    },
  };
}

/** The minimum of work: sends the same bytes to every socket. */
async function floor() {
  const readers = new Set<ServerResponse>();
  const server = createServer((_, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" }).write(": hello\n\n");
    readers.add(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    headers: {},
    write: async (id: string) => {
      const payload = { id, source: "person", text: "x".repeat(200) };
      const frame = `id: s.1\ndata: ${JSON.stringify({ runId: "r", seq: 1, position: 1, ts: 1, type: "CONTEXT_ADDED", key: "k", payload })}\n\n`;
      for (const reader of readers) reader.write(frame);
    },
  };
}
