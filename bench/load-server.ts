// The server that the load bench asks: it answers requests while it drives runs that never stop working.

import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { BUILT_PAGE, startPublicServer } from "../src/api/server/public-server.ts";
import { TERMINAL_TYPES } from "../src/journal/events.ts";
import { apiParts } from "../src/runtime/api-parts.ts";
import { assembleRuntime } from "../src/runtime/assembly.ts";

/** Steps of a run that works. One step is a model call and a Read. */
const STEPS = 60;
const THINK_MS = 250;

const [working = 0, waiting = 0] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "cadre-bench-"));
mkdirSync(join(folder, "agents"));
const agent = (model: string) =>
  `---\ndescription: one of the bench\nmodel: scripted/${model}\ntools: [Read]\nlimits: { maxTurns: 100 }\n---\nWork.\n`;
writeFileSync(join(folder, "agents", "worker.md"), agent("work"));
writeFileSync(join(folder, "agents", "quick.md"), agent("quick"));
writeFileSync(
  join(folder, "agents", "waiter.md"),
  agent("wait").replace("[Read]", "{ allow: [Read, Write], ask: [Write], deny: [] }"),
);
writeFileSync(join(folder, "a.txt"), "one line of text\n".repeat(50));

/** Each step reads another part, because a call that is repeated too often asks a person. */
const read = (turn: number) => ({
  text: "Reading on.",
  calls: [{ tool: "Read", input: { path: "a.txt", offset: (turn % 50) + 1, limit: turn } }],
});
const env = { CADRE_TRUST: "1", XDG_CONFIG_HOME: folder };
const runtime = await assembleRuntime({
  folder,
  home: folder,
  env,
  concurrency: 64,
  scripts: {
    work: ({ turn }) =>
      turn <= STEPS ? { ...read(turn), delay: THINK_MS } : { text: "Read it all.", delay: THINK_MS },
    wait: ({ turn }) =>
      turn <= STEPS ? read(turn) : { calls: [{ tool: "Write", input: { path: "b.txt", content: "b" } }] },
    quick: () => ({ text: "Done." }),
  },
});
await runtime.start();
const active = new Set<string>();
const keepWorking = async (): Promise<void> => {
  const { runId } = await runtime.admit({ agent: "worker", task: "read for ever", attended: true });
  active.add(runId);
};
let ended = 0;
runtime.store.journal.onCommit((events) => {
  for (const { type, runId } of events) {
    if (!TERMINAL_TYPES.has(type)) continue;
    ended++;
    if (active.delete(runId)) void keepWorking();
  }
});
for (let i = 0; i < waiting; i++)
  await runtime.admit({ agent: "waiter", task: "wait for a person", attended: true });
while ((await runtime.store.inbox.openItems()).length < waiting) await pause(100);
for (let i = 0; i < working; i++) await keepWorking();
const token = "a-token-that-is-long-enough-for-it";
const server = await startPublicServer(apiParts(runtime, true, env), {
  ...{ host: "127.0.0.1", port: 0, token, names: [], page: BUILT_PAGE },
});
process.send!({ url: server.url, token, runs: [...active] });
process.on("message", (message) => {
  if (message === "stop") process.exit(0);
  globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, external } = process.memoryUsage();
  const mb = (bytes: number) => Math.round(bytes / 1024 / 1024);
  process.send!({
    rss: mb(rss),
    heap: mb(heapUsed),
    external: mb(external),
    ended,
    cpu: (user + system) / 1_000,
  });
});
