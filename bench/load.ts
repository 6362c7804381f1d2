// `npm run bench load` measures how long requests wait while runs work: 200 connections with mixed reads and starts, on an idle
// server and on one that drives 50 runs. The inbox has 30 items. Server and clients are separate processes. With PAUSE=0, a
// connection asks again as soon as it has its answer, so the time is the number of connections divided by the server's rate.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { median, print, whole } from "./table.ts";

const CONNECTIONS = 200;
const WORKING = 50;
/** Runs that wait for a person, each with sixty steps behind it. They make the inbox. */
const WAITING = 30;
const ROUNDS = Number(process.env["ROUNDS"] ?? 3);
const SECONDS = Number(process.env["SECONDS"] ?? 15);
/** One request in this many starts a run. */
const START_EVERY = 10;
/** Pause of a connection between an answer and its next request, so that the clients ask for a rate and not for all there is. */
const PAUSE_MS = Number(process.env["PAUSE"] ?? 1_000);

interface Latencies {
  p50: number;
  p99: number;
  longest: number;
  answers: number;
  wrong: number;
  /** CPU milliseconds of the server per second. On a busy machine, they show how much of the waiting the machine causes. */
  cpu: number;
}

export async function load(): Promise<void> {
  const names = ["idle", "50 runs work"];
  const rounds = new Map<string, Latencies[]>(names.map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const name of names) rounds.get(name)!.push(await measure(name === "idle" ? 0 : WORKING));
  const of = (name: string, key: keyof Latencies) => median(rounds.get(name)!.map((each) => each[key]));
  const columns = ["p50", "p99", "longest", "answers", "wrong", "cpu"] as const;
  print(`${CONNECTIONS} connections: reads, and a start in every ${START_EVERY} requests`, [
    ["server", "p50 ms", "p99 ms", "longest ms", "answers", "not 2xx", "server's CPU ms/s"],
    ...names.map((name) => [name, ...columns.map((key) => whole(of(name, key)))]),
    [
      "ratio",
      ...(["p50", "p99"] as const).map((key) =>
        ((of(names[1]!, key) ?? 0) / (of(names[0]!, key) ?? 1)).toFixed(1),
      ),
    ],
  ]);
}

async function measure(working: number): Promise<Latencies> {
  const server = fork(new URL("./load-server.ts", import.meta.url), [String(working), String(WAITING)], {
    execArgv: [...process.execArgv, ...(process.env["SERVER_ARGS"]?.split(" ") ?? [])],
  });
  const [{ url, token, runs }] = (await once(server, "message")) as [Target];
  try {
    await ask({ url, token, runs }, 3, []);
    const found: { ms: number; status: number }[] = [];
    const [before, from] = [await usageOf(server), performance.now()];
    await ask({ url, token, runs }, SECONDS, found);
    const { cpu, ...memory } = await usageOf(server);
    const seconds = (performance.now() - from) / 1_000;
    if (process.env["MEMORY"]) console.log(memory);
    const times = found.map(({ ms }) => ms).sort((a, b) => a - b);
    const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!;
    const wrong = found.filter(({ status }) => status < 200 || status > 299).length;
    return {
      p50: at(0.5),
      p99: at(0.99),
      longest: at(1),
      answers: times.length,
      wrong,
      cpu: (cpu - before.cpu) / seconds,
    };
  } finally {
    server.send("stop");
    await once(server, "exit");
  }
}

/** Memory in megabytes, and CPU time in milliseconds. */
async function usageOf(server: ChildProcess): Promise<{ cpu: number; rss: number; heap: number }> {
  server.send("usage");
  return (await once(server, "message"))[0];
}

interface Target {
  url: string;
  token: string;
  runs: string[];
}

async function ask(target: Target, seconds: number, found: { ms: number; status: number }[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const until = performance.now() + seconds * 1_000;
  const known = [...target.runs];
  const connection = async (number: number): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, (number * PAUSE_MS) / CONNECTIONS));
    for (let n = number; performance.now() < until; n++) {
      const began = performance.now();
      const answer = await send(target, agent, n, known);
      found.push({ ms: performance.now() - began, status: answer.status });
      if (answer.runId !== undefined) known.push(answer.runId);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, number) => connection(number)));
  agent.destroy();
}

const READS = [
  () => "/api/runs",
  (run: string) => `/api/runs/${run}`,
  () => "/api/approvals",
  (run: string) => `/api/runs/${run}/tree`,
  () => "/api/runs?status=running",
  (run: string) => `/api/runs/${run}/context`,
  (run: string) => `/api/runs/${run}/events`,
  () => "/api/health",
  () => "/api/agents",
];

function send(
  { url, token }: Target,
  agent: Agent,
  n: number,
  known: readonly string[],
): Promise<{ status: number; runId?: string }> {
  const isStart = n % START_EVERY === 0 || known.length === 0;
  const read = READS[n % READS.length]!;
  const path = isStart ? "/api/runs" : read(known[n % known.length]!);
  const body = isStart ? JSON.stringify({ agent: "quick", task: `task ${n}` }) : undefined;
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(body ? { "Content-Type": "application/json" } : {}),
  };
  return new Promise((resolve) => {
    const asked = request(url + path, { agent, method: isStart ? "POST" : "GET", headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      response.on("end", () => {
        const status = response.statusCode ?? 0;
        resolve(isStart && status === 201 ? { status, runId: JSON.parse(text).runId } : { status });
      });
    });
    asked.on("error", () => resolve({ status: 0 }));
    asked.end(body);
  });
}
