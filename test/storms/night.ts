// A crew at work through a night: `cadre up` with many runs, a provider that goes away twice, and kills in the middle of test commands.
// In the morning every tree must have ended, except the one that waits for an approval. No command may have been repeated, except tests.

import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { CadreClient } from "../../src/api/client/client.ts";
import { clientWithToken } from "../../src/cli/connection/server-client.ts";
import { scratchFolder } from "../support/scratch.ts";
import type { Answer, Ask } from "../support/wire/protocol.ts";
import { startWire } from "../support/wire/server.ts";

export interface NightOptions {
  /** Number of trees. Each has a foreman and a worker. */
  trees: number;
  /** How long the provider is away, twice. */
  awayMs: number;
  /** Fractions of all model calls, from 0 to 1. There is one kill for each fraction, when so many calls have been answered. */
  killsAt: readonly number[];
  /** An outage begins when each of these fractions of all model calls has been answered. */
  outagesAt: readonly number[];
  within: number;
}

export interface NightReport {
  /** The root runs by status, and by the reason for which they wait. */
  roots: Record<string, number>;
  open: string[];
  kills: number;
  /** Model calls that failed because the provider was away. */
  refused: number;
  /** Test commands that a kill cut off. */
  cutOff: number;
  /** Parts whose work was never noted, and parts whose work was noted more than once. */
  missing: number[];
  repeated: number[];
  seconds: number;
}

/** The part of the work that needs an approval, which never comes. */
const ASKS = 0;

const FILES: Record<string, string> = {
  "agents/foreman.md": agentFile("foreman", "agents: [worker]\ntools: []"),
  "agents/worker.md": agentFile("worker", "kind: subagent\ntools: [Bash]"),
  // Appending is not repeatable: each part must be noted exactly once.
  "note.sh": '#!/bin/sh\necho "$1" >> ledger.txt\n',
  Makefile: "test:\n\t@./check.sh\n",
  "check.sh": "#!/bin/sh\necho begin >> tests.log\nsleep 0.4\necho end >> tests.log\n",
};

function agentFile(name: string, keys: string): string {
  return `---\nname: ${name}\ndescription: Works at night.\nmodel: compat/night\n${keys}\n---\nYou are the ${name}.\n`;
}

export async function night(options: NightOptions): Promise<NightReport> {
  const began = performance.now();
  const folder = scratchFolder("cadre-night-");
  let isAway = false;
  let refused = 0;
  let answered = 0;
  /** The parts that are being noted. If Cadre is killed at that moment, it is right to ask a person whether the note was written. */
  const noting = new Set<number>();
  await using provider = await startWire((ask) => {
    if (!isAway) {
      answered++;
      if (isNote(ask)) noting.add(partOf(ask));
      else noting.delete(partOf(ask));
      return answer(ask);
    }
    refused++;
    return refused % 2 === 0 ? { connection: "closed" } : { error: { status: 503 } };
  });
  writeProject(folder, provider.config);
  const home = join(folder, "home");
  const env = { PATH: process.env["PATH"], HOME: home, CADRE_TRUST: "1", ...provider.env };
  let server = await startServer(folder, env);
  let kills = 0;
  try {
    for (let part = 0; part < options.trees; part++)
      await server.client.post("/api/runs", {
        body: { agent: "foreman", task: `part ${part}` },
        idempotencyKey: `part-${part}`,
      });
    const plan = planOf(options);
    const until = performance.now() + options.within;
    while (performance.now() < until) {
      if (plan.length === 0 && (await isAtRest(server.client))) break;
      const next = plan[0] !== undefined && answered >= plan[0].at ? plan.shift() : undefined;
      if (next?.type === "outage") {
        const before = refused;
        isAway = true;
        await pause(options.awayMs);
        while (refused === before) await pause(50);
        isAway = false;
      } else if (next?.type === "kill") {
        await untilTesting(folder, noting, () => answered >= callsOf(options.trees));
        server.process.kill("SIGKILL");
        await server.ended;
        kills++;
        server = await startServer(folder, env);
      } else await pause(100);
    }
    return {
      ...(await readMorning(server.client)),
      ...readLogs(folder, options.trees),
      kills,
      refused,
      seconds: Math.round((performance.now() - began) / 1_000),
    };
  } finally {
    server.process.kill("SIGTERM");
    await server.ended;
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The provider's answers. They depend on the conversation alone. */
function answer(ask: Ask): Answer {
  const { turn } = ask;
  const part = partOf(ask);
  if (isForeman(ask))
    return turn === 1 ? call("delegate", { agent: "worker", task: `part ${part}` }) : done(part);
  if (turn === 1) return call("Bash", { command: part === ASKS ? "./send.sh all" : `./note.sh ${part}` });
  return turn === 2 ? call("Bash", { command: "make test" }) : done(part);
}

const isForeman = ({ system }: Ask): boolean => system.includes("You are the foreman");
const isNote = (ask: Ask): boolean => !isForeman(ask) && ask.turn === 1 && partOf(ask) !== ASKS;
const partOf = ({ first }: Ask): number => Number(/part (\d+)/.exec(first)![1]);

const call = (name: string, input: object): Answer => ({ parts: [{ call: name, input }] });
const done = (part: number): Answer => ({ parts: [{ text: `Part ${part} is done.` }] });

function writeProject(folder: string, providers: string): void {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  for (const script of ["note.sh", "check.sh"]) chmodSync(join(folder, script), 0o755);
  const rules = 'permissions: { allow: ["Bash(./note.sh *)", "Bash(make test)"] }\n';
  writeFileSync(join(folder, "cadre.yaml"), `${providers}${rules}concurrency: 3\n`);
  mkdirSync(join(folder, "home"));
}

interface Server {
  process: ChildProcess;
  client: CadreClient;
  ended: Promise<unknown>;
}

const LAUNCHER = fileURLToPath(new URL("../../bin/cadre.js", import.meta.url));

async function startServer(folder: string, env: NodeJS.ProcessEnv): Promise<Server> {
  const child = spawn(process.execPath, [LAUNCHER, "up", "--no-open", "--json", "-C", folder], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise((resolve) => child.on("close", resolve));
  let printed = "";
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    printed = `${printed}${text}`.slice(-4_000);
  });
  const url = await new Promise<string>((resolve, reject) => {
    let output = "";
    child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const found = /"url":"([^"]+)"/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.on("close", () => reject(new Error(`cadre up has ended: ${printed}`)));
  });
  const token = readFileSync(join(folder, ".cadre", "token"), "utf8").trim();
  return { process: child, client: clientWithToken(url.replace(/\/$/, ""), token), ended };
}

interface Disturbance {
  type: "kill" | "outage";
  /** Happens when this many model calls have been answered. */
  at: number;
}

/** A foreman and a worker make five calls. The tree that asks stops after two. */
const callsOf = (trees: number): number => 5 * trees - 3;

function planOf({ trees, killsAt, outagesAt }: NightOptions): Disturbance[] {
  const at = (share: number): number => Math.floor(share * callsOf(trees));
  return [
    ...killsAt.map((share): Disturbance => ({ type: "kill", at: at(share) })),
    ...outagesAt.map((share): Disturbance => ({ type: "outage", at: at(share) })),
  ].sort((a, b) => a.at - b.at);
}

/** Waits until a test command is under way, and no part is being noted. */
async function untilTesting(
  folder: string,
  noting: ReadonlySet<number>,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    const tests = linesOf(folder, "tests.log");
    if (noting.size === 0 && countOf(tests, "begin") > countOf(tests, "end")) return;
    await pause(5);
  }
}

function linesOf(folder: string, name: string): string[] {
  const path = join(folder, name);
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
}

const countOf = (lines: readonly string[], word: string): number =>
  lines.filter((line) => line.startsWith(word)).length;

async function* roots(client: CadreClient) {
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const page = await client.get("/api/runs", { limit: 200, ...(cursor === undefined ? {} : { cursor }) });
    cursor = page.nextCursor;
    yield* page.runs.filter(({ parentRunId }) => parentRunId === undefined);
  }
}

/** Whether every tree has ended or waits for a person. */
async function isAtRest(client: CadreClient): Promise<boolean> {
  for await (const { endedAt, status } of roots(client))
    if (endedAt === undefined && status !== "suspended") return false;
  return true;
}

async function readMorning(client: CadreClient): Promise<Pick<NightReport, "roots" | "open">> {
  const found: Record<string, number> = {};
  for await (const { status, waitingOn } of roots(client)) {
    const words = waitingOn === undefined ? status : `${status}: ${waitingOn.kind}`;
    found[words] = (found[words] ?? 0) + 1;
  }
  const { approvals } = await client.get("/api/approvals");
  return { roots: found, open: approvals.map(({ kind, agent }) => `${kind} of ${agent}`) };
}

function readLogs(folder: string, trees: number): Pick<NightReport, "missing" | "repeated" | "cutOff"> {
  const noted = linesOf(folder, "ledger.txt").map(Number);
  const parts = Array.from({ length: trees }, (_, part) => part).filter((part) => part !== ASKS);
  const times = (part: number): number => noted.filter((one) => one === part).length;
  const tests = linesOf(folder, "tests.log");
  return {
    missing: parts.filter((part) => times(part) === 0),
    repeated: parts.filter((part) => times(part) > 1),
    cutOff: countOf(tests, "begin") - countOf(tests, "end"),
  };
}
