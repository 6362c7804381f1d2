// One worker of a fleet test: `node worker.ts <folder>`. CADRE_* variables configure it.
// When the worker is ready, it tells its parent process how long the start took and how much memory it allocated.

import { existsSync, watch } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../src/errors.ts";
import { assembleRuntime } from "../../src/runtime/assembly.ts";
import { scriptOf, TREES } from "../golden/trees.ts";
import { oracleTools } from "../support/oracle.ts";
import { script } from "./trees.ts";

const [folder = ""] = process.argv.slice(2);
const concurrency = Number(process.env["CADRE_TEST_CONCURRENCY"] ?? 32);
const atFirst = process.memoryUsage.rss();
void work();

async function work(): Promise<void> {
  const runtime = await assembleRuntime({
    folder,
    env: process.env,
    home: join(folder, "home"),
    scripts: { fleet: script, golden: scriptOf(TREES["delegation-waits"]!) },
    concurrency,
    // The tool records that it has begun. Then it waits until the test lets it continue.
    tools: oracleTools(join(folder, "effects.log"), {
      after: (_tool, what) => (what.startsWith("wait ") ? appears(`${what.slice(5)}.go`) : undefined),
    }),
    onProblem: ({ message, error }) => console.error(`${process.pid}: ${message} ${messageOf(error)}`),
  });
  await runtime.start();
  process.send!({ readyAfter: performance.now(), risenBy: process.memoryUsage.rss() - atFirst });
  process.on("SIGTERM", () => void runtime.stop().then(() => process.exit(0)));
  // Exits when the parent process ends, because no other process would stop this worker.
  process.on("disconnect", () => process.exit(0));
}

async function appears(name: string): Promise<void> {
  const changes = watch(folder);
  while (!existsSync(join(folder, name))) await new Promise((resolve) => changes.once("change", resolve));
  changes.close();
}
