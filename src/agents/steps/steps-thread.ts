// A thread that talks to the processes of steps modules. The main thread waits for its answers, because decisions are synchronous.

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { type MessagePort, workerData } from "node:worker_threads";
import type { StepsAnswer, StepsRequest, ThreadRequest } from "./steps-protocol.ts";

interface Running {
  child: ChildProcess;
  waiting: Map<number, (answer: StepsAnswer) => void>;
  errors: string;
}

interface Given {
  calls: MessagePort;
  loads: MessagePort;
  flag: Int32Array;
  path: string | undefined;
}

const { calls, loads, flag, path = "/usr/bin:/bin" } = workerData as Given;
const processes = new Map<string, Running>();
const MAX_PROCESSES = 16;

function start(key: string, [program = "", ...args]: readonly string[]): Running {
  const idle = [...processes].find(([, { waiting }]) => waiting.size === 0);
  if (processes.size >= MAX_PROCESSES && idle) end(idle[0]);
  const child = spawn(program, args, { env: { PATH: path }, cwd: "/", stdio: ["pipe", "pipe", "pipe"] });
  const running: Running = { child, waiting: new Map(), errors: "" };
  processes.set(key, running);
  createInterface({ input: child.stdout }).on("line", (line) => {
    try {
      const { id, ...answer } = JSON.parse(line) as StepsAnswer & { id: number };
      settle(running, id, answer);
    } catch {
      // The module itself wrote this line. If the line spoiled an answer, the request ends at its time limit.
    }
  });
  child.stderr.on("data", (chunk: Buffer) => {
    running.errors = (running.errors + chunk.toString()).slice(-2_000);
  });
  child.stdin.on("error", () => undefined);
  const gone = () => {
    if (processes.get(key) === running) processes.delete(key);
    for (const id of running.waiting.keys())
      settle(running, id, { gone: true, thrown: { text: running.errors.trim() || "its process ended" } });
  };
  child.once("error", gone);
  child.once("close", gone);
  return running;
}

function settle({ waiting }: Running, id: number, answer: StepsAnswer): void {
  waiting.get(id)?.(answer);
  waiting.delete(id);
}

function end(key: string): void {
  processes.get(key)?.child.kill("SIGKILL");
  processes.delete(key);
}

function ask(running: Running, request: StepsRequest): Promise<StepsAnswer> {
  return new Promise((done) => {
    running.waiting.set(request.id, done);
    running.child.stdin!.write(`${JSON.stringify(request)}\n`);
  });
}

async function answerTo({ key, argv, request, timeout }: ThreadRequest): Promise<StepsAnswer> {
  const running = processes.get(key) ?? (argv && start(key, argv));
  if (!running) return { gone: true };
  const late = setTimeout(() => {
    settle(running, request.id, { thrown: { text: `it computed for more than ${timeout / 1_000} s` } });
    end(key);
  }, timeout);
  try {
    return await ask(running, request);
  } finally {
    clearTimeout(late);
  }
}

loads.on("message", (asked: ThreadRequest) => {
  void answerTo(asked).then((answer) => loads.postMessage({ id: asked.request.id, answer }));
});

calls.on("message", (asked: ThreadRequest) => {
  void answerTo(asked).then((answer) => {
    calls.postMessage(answer);
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
  });
});
