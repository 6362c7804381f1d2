// One worker of the fleet under test: `node worker.ts <folder>`; its settings come by CADRE_* variables. Says to whoever
// started it that it is ready, after how long, and how much more memory it takes by then.

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
    // It notes that it has begun, and waits until the test lets it go on.
    tools: oracleTools(join(folder, "effects.log"), {
      after: (_tool, what) => (what.startsWith("wait ") ? appears(`${what.slice(5)}.go`) : undefined),
    }),
    onProblem: ({ message, error }) => console.error(`${process.pid}: ${message} ${messageOf(error)}`),
  });
  await runtime.start();
  process.send!({ readyAfter: performance.now(), risenBy: process.memoryUsage.rss() - atFirst });
  process.on("SIGTERM", () => void runtime.stop().then(() => process.exit(0)));
  // Without whoever started it nobody would end it.
  process.on("disconnect", () => process.exit(0));
}

async function appears(name: string): Promise<void> {
  const changes = watch(folder);
  while (!existsSync(join(folder, name))) await new Promise((resolve) => changes.once("change", resolve));
  changes.close();
}
