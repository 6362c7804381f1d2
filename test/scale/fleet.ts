// Starts workers of several versions with pg-boss. The processes and Postgres are real. The test's own process admits the runs.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { assembleRuntime, type RuntimeAssembly } from "../../src/runtime/assembly.ts";
import { programPath } from "../support/programs.ts";
import { scratchFolder } from "../support/scratch.ts";
import { loadOptions, writeAgents } from "./load.ts";

const SOURCE = fileURLToPath(new URL("worker-process.ts", import.meta.url));

export interface Worker {
  process: ChildProcess;
  pid: number;
  /** The text that the process has written to stderr so far. */
  said(): string;
}

export class Fleet {
  readonly folder = scratchFolder("cadre-fleet-");
  private readonly store: string;
  private readonly workers: Worker[] = [];
  runtime!: RuntimeAssembly;

  constructor(store: string) {
    this.store = store;
  }

  async open(): Promise<this> {
    writeAgents(this.folder);
    this.runtime = await assembleRuntime(loadOptions(this.folder, this.store));
    return this;
  }

  /** `flags` are passed to Node. They can load hooks that change modules. */
  async addWorker(flags: readonly string[] = []): Promise<Worker> {
    const program = flags.length > 0 ? SOURCE : programPath("scale-worker");
    const child = spawn(process.execPath, [...flags, program, this.folder, this.store], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    const worker = { process: child, pid: child.pid!, said: () => said };
    this.workers.push(worker);
    await Promise.race([
      once(child.stdout, "data"),
      once(child, "exit").then(() => Promise.reject(new Error(`The worker ended:\n${said}`))),
    ]);
    return worker;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { process: child } of this.workers) {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    }
    await this.runtime.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
