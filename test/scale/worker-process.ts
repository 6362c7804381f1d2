// A worker process for tests: `node worker-process.ts <folder> <store>`.
// The process prints its pid on stdout when it is ready to drive runs. It shuts down cleanly on SIGTERM.

import { once } from "node:events";
import { messageOf } from "../../src/errors.ts";
import { assembleRuntime } from "../../src/runtime/assembly.ts";
import { loadOptions } from "./load.ts";

const [folder = "", store = ""] = process.argv.slice(2);
void work();

async function work(): Promise<void> {
  const runtime = await assembleRuntime({
    ...loadOptions(folder, store),
    concurrency: 8,
    onProblem: ({ message, error }) => console.error(`${message} ${messageOf(error)}`),
  });
  await runtime.start();
  console.log(process.pid);
  await once(process, "SIGTERM");
  await runtime.stop();
}
