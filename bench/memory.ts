// `npm run bench memory` measures the memory of `cadre up` under steady work: four lanes start a tree of runs, follow it to its end, read
// its pages and start the next. It prints one line a minute, and fails if the second half of the time needs more than 350 MB or grows.
// MINUTES=15 makes it shorter than an hour.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { median, print, whole } from "./table.ts";

const LANES = 4;
const MINUTES = Number(process.env["MINUTES"] ?? 60);
const LIMIT_MB = 350;
/** Maximum growth from the third to the fourth quarter of the time. A leak of one kilobyte per run exceeds it within the hour. */
const MOST_GROWTH_MB = 20;

export async function memory(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "cadre-bench-"));
  writeProject(folder);
  const server = spawn(
    process.execPath,
    [CADRE, "--json", "up", "--port", "0", "--no-open", "--host", "127.0.0.1"],
    {
      cwd: folder,
      env: { ...process.env, CADRE_TRUST: "1", HOME: folder, XDG_CONFIG_HOME: folder },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let log = "";
  server.stderr.setEncoding("utf8").on("data", (text: string) => {
    log = (log + text).slice(-2_000);
  });
  try {
    const url = await addressOf(server.stdout);
    const headers = {
      Authorization: `Bearer ${readFileSync(join(folder, ".cadre", "token"), "utf8").trim()}`,
    };
    const until = performance.now() + MINUTES * 60_000;
    let trees = 0;
    const lane = async (): Promise<void> => {
      while (performance.now() < until) {
        await oneTree(url, headers);
        trees++;
      }
    };
    const lanes = Promise.all(Array.from({ length: LANES }, lane));
    const samples: number[] = [];
    for (let at = 0; performance.now() < until; at++) {
      await Promise.race([pause(5_000), lanes]);
      samples.push(residentMegabytes(server.pid!));
      if (at % 12 === 11) console.log(`${(at + 1) / 12} min: ${whole(samples.at(-1))} MB, ${trees} trees`);
    }
    await lanes;
    judge(samples, trees);
  } catch (error) {
    console.error(log);
    throw error;
  } finally {
    server.kill("SIGTERM");
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function judge(samples: readonly number[], trees: number): void {
  const quarter = Math.floor(samples.length / 4);
  const quarters = [0, 1, 2, 3].map((n) => samples.slice(n * quarter, (n + 1) * quarter));
  const peak = Math.max(...samples.slice(2 * quarter));
  const growth = (median(quarters[3]) ?? 0) - (median(quarters[2]) ?? 0);
  print(`memory of \`cadre up\`, ${LANES} lanes, ${MINUTES} minutes, ${trees} trees`, [
    ["", ...quarters.map((_, n) => `quarter ${n + 1}`), "peak of the second half"],
    ["MB", ...quarters.map((each) => whole(median(each))), whole(peak)],
  ]);
  if (peak <= LIMIT_MB && growth <= MOST_GROWTH_MB) return;
  console.error(`More than ${LIMIT_MB} MB, or more than ${MOST_GROWTH_MB} MB of growth.`);
  process.exitCode = 1;
}

const CADRE = fileURLToPath(new URL("../bin/cadre.js", import.meta.url));

function writeProject(folder: string): void {
  mkdirSync(join(folder, "agents"));
  const agent = (name: string, keys: string): void =>
    writeFileSync(
      join(folder, "agents", `${name}.md`),
      `---\ndescription: one of the bench\nmodel: scripted/bench\n${keys}\n---\nWork.\n`,
    );
  agent("lead", "agents: [reader, runner]\ntools: []\ndelegation: { mode: parallel, maxParallel: 2 }");
  agent("reader", "tools: [Read]");
  agent("runner", "tools: [Bash]");
  writeFileSync(join(folder, "cadre.yaml"), "sandbox: none\npermissions: { allow: [Bash] }\n");
  writeFileSync(join(folder, "notes.txt"), "A line of the notes that the agents read.\n".repeat(400));
  const call = (tool: string, input: object) => ({ tool, input });
  const part = (name: string) => call("delegate", { agent: name, task: "do your part" });
  const readPart = (turn: number) => ({
    when: { agent: "reader", turn },
    delay: 20,
    calls: [call("Read", { path: "notes.txt", offset: turn * 30, limit: 100 })],
  });
  const turns = [
    { when: { agent: "lead", turn: 1 }, delay: 20, calls: [part("reader"), part("runner")] },
    ...Array.from({ length: 8 }, (_, n) => readPart(n + 1)),
    {
      when: { agent: "runner", turn: 1 },
      delay: 20,
      calls: [call("Bash", { command: "head -n 200 notes.txt" })],
    },
    { delay: 20, text: "Done." },
  ];
  writeFileSync(join(folder, "bench.script.yaml"), JSON.stringify({ turns }));
}

async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(line);
    if (!found) continue;
    output.resume();
    return found[0];
  }
  throw new Error("`cadre up` has not started.");
}

async function oneTree(url: string, headers: Record<string, string>): Promise<void> {
  const ask = async (path: string, body?: string): Promise<Response> => {
    const json = { ...headers, "Content-Type": "application/json" };
    const init = body === undefined ? { headers } : { method: "POST", headers: json, body };
    const response = await fetch(url + path, init);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  const started = await ask("/api/runs", JSON.stringify({ agent: "lead", task: "have it read" }));
  const { runId } = (await started.json()) as { runId: string };
  for (let status = ""; status !== "completed"; ) {
    ({ status } = (await (await ask(`/api/runs/${runId}`)).json()) as { status: string });
    if (status === "failed" || status === "suspended") throw new Error(`The run ${runId} is ${status}.`);
    if (status !== "completed") await pause(200);
  }
  for (const path of ["", "/tree", "/events", "/context"])
    await (await ask(`/api/runs/${runId}${path}`)).text();
  for (const path of ["/api/runs", "/api/approvals", "/api/agents"]) await (await ask(path)).text();
}

/** Physical memory of the process, as the system counts it. */
function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}
