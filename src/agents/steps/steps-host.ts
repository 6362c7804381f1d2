// Runs steps modules in processes of their own, and makes each look like a generator function.
// A module is code of the project. In Cadre's own process it could read the server's token and the keys of its providers (A82).
// If a process dies, its module is started again with all earlier answers, so its run continues as before.

import { createRequire } from "node:module";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { StepsMain } from "../loaded-steps.ts";
import type { StepsAnswer, StepsRequest, ThreadRequest, Thrown } from "./steps-protocol.ts";

export interface StepsProcess {
  /** Equal keys share a process. */
  key: string;
  url: string;
  /** Paths that the process may read besides Cadre's own code. A trailing `*` means everything below. */
  reads: readonly string[];
  /** Puts the command into the project's sandbox, where there is one. */
  confine(argv: readonly string[]): Promise<readonly string[]>;
}

const STARTING = 60_000;
/** Milliseconds for one answer. A module only decides on the next step, so a slower one is stuck. Cadre blocks while it waits. */
const ANSWERING = 10_000;

const here = (path: string): string =>
  fileURLToPath(new URL(`${path}${extname(import.meta.url)}`, import.meta.url));
const VOCABULARY = new URL(`../../patterns/step-functions${extname(import.meta.url)}`, import.meta.url).href;
/** Cadre's own code, and the folder with its packages. */
const OWN = [
  fileURLToPath(new URL("../../*", import.meta.url)),
  fileURLToPath(new URL("../../../package.json", import.meta.url)),
  createRequire(import.meta.url)
    .resolve("zod")
    .replace(/([\\/]node_modules[\\/]).*$/, "$1*"),
];

const mains = new Map<string, Promise<StepsMain>>();

/** Loads the module. Throws if it cannot be loaded. The same key always gives the same function. */
export function startSteps(wanted: StepsProcess): Promise<StepsMain> {
  const known = mains.get(wanted.key) ?? start(wanted);
  mains.set(wanted.key, known);
  known.catch(() => mains.delete(wanted.key));
  return known;
}

async function start({ key, url, reads, confine }: StepsProcess): Promise<StepsMain> {
  const permissions = [...OWN, ...reads].map((path) => `--allow-fs-read=${path}`);
  const argv = await confine([
    process.execPath,
    ...["--permission", ...permissions, "--disable-warning=ExperimentalWarning", "--disable-sigusr1"],
    here("./steps-process"),
  ]);
  const thread = openThread();
  const load: StepsRequest = { id: nextId(), do: "load", url, vocabulary: VOCABULARY };
  const loaded = await thread.load({ key, argv, request: load, timeout: STARTING });
  if (loaded.thrown) throw errorOf(loaded.thrown);
  if (loaded.kind === "no generator") throw new NoGenerator();
  const call = (request: StepsRequest) => thread.call({ key, request, timeout: ANSWERING });
  const restart = (): void => {
    const again = { ...load, id: nextId() };
    const { thrown } = thread.call({ key, argv, request: again, timeout: STARTING });
    if (thrown) throw errorOf(thrown);
  };
  return (given) => new RemoteIterator(given, call, restart);
}

export class NoGenerator extends Error {}

type Call = (request: StepsRequest) => StepsAnswer;

class RemoteIterator implements Iterator<unknown, unknown, unknown> {
  #number: number | undefined;
  #answers: unknown[] = [];
  private readonly given: unknown;
  private readonly call: Call;
  private readonly restart: () => void;

  constructor(given: unknown, call: Call, restart: () => void) {
    this.given = given;
    this.call = call;
    this.restart = restart;
  }

  next(value?: unknown): IteratorResult<unknown, unknown> {
    this.#answers.push(value);
    if (this.#number !== undefined) {
      const answer = this.call({ id: nextId(), do: "next", iterator: this.#number, value });
      if (!answer.gone) return resultOf(answer);
    }
    return this.#replay();
  }

  /** Starts the generator again and repeats all answers so far. Returns the result of the last answer. */
  #replay(): IteratorResult<unknown, unknown> {
    const iterator = nextId();
    const begin: StepsRequest = { id: nextId(), do: "begin", iterator, given: this.given };
    let begun = this.call(begin);
    if (begun.gone) {
      this.restart();
      begun = this.call({ ...begin, id: nextId() });
    }
    if (begun.thrown) throw errorOf(begun.thrown);
    this.#number = iterator;
    const { call } = this;
    dropped.register(this, () => call({ id: nextId(), do: "drop", iterator }));
    let result: IteratorResult<unknown, unknown> | undefined;
    for (const value of this.#answers)
      result = resultOf(this.call({ id: nextId(), do: "next", iterator, value }));
    return result!;
  }
}

const dropped = new FinalizationRegistry<() => void>((drop) => drop());

function resultOf({ done = false, value, kind, thrown }: StepsAnswer): IteratorResult<unknown, unknown> {
  if (thrown) throw errorOf(thrown);
  return { done, value: kind === undefined ? value : STAND_INS[kind] };
}

function nested(levels: number): object {
  let value = {};
  for (let level = 0; level < levels; level++) value = { value };
  return value;
}

/** Substitutes for values that JSON cannot represent. The replay refuses each of them with its own error. */
const STAND_INS: Record<NonNullable<StepsAnswer["kind"]>, unknown> = {
  function: () => undefined,
  symbol: Symbol("of the module"),
  deep: nested(300),
  "no generator": undefined,
};

function errorOf({ text, stack }: Thrown): unknown {
  if (text === undefined) return Object.create(null);
  return Object.assign(new Error(text), stack === undefined ? {} : { stack });
}

let last = 0;
const nextId = (): number => ++last;

interface Thread {
  load(asked: ThreadRequest): Promise<StepsAnswer>;
  /** Blocks until the answer is here. */
  call(asked: ThreadRequest): StepsAnswer;
}

let opened: Thread | undefined;

function openThread(): Thread {
  if (opened) return opened;
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const calls = new MessageChannel();
  const loads = new MessageChannel();
  const worker = new Worker(new URL(`./steps-thread${extname(import.meta.url)}`, import.meta.url), {
    workerData: { calls: calls.port2, loads: loads.port2, flag, path: process.env["PATH"] },
    transferList: [calls.port2, loads.port2],
    execArgv: [],
    env: {},
  });
  worker.unref();
  const waiting = new Map<number, (answer: StepsAnswer) => void>();
  loads.port1.on("message", ({ id, answer }: { id: number; answer: StepsAnswer }) => {
    waiting.get(id)?.(answer);
    waiting.delete(id);
    if (waiting.size === 0) loads.port1.unref();
  });
  loads.port1.unref();
  opened = {
    load: (asked) =>
      new Promise((done) => {
        waiting.set(asked.request.id, done);
        loads.port1.ref();
        loads.port1.postMessage(asked);
      }),
    call(asked) {
      Atomics.store(flag, 0, 0);
      calls.port1.postMessage(asked);
      Atomics.wait(flag, 0, 0, asked.timeout + 5_000);
      const received = receiveMessageOnPort(calls.port1) as { message: StepsAnswer } | undefined;
      return received?.message ?? { thrown: { text: "its process does not answer" } };
    },
  };
  return opened;
}
