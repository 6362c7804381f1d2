// The process that does the work: `node work.ts <folder>`.
// The process reports every event of the tree to its parent process. The parent can kill the process at any time.
// After a restart, the process continues the same run, because it uses the same idempotency key.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { connect } from "../../src/cli/connection/connect.ts";
import { ENVIRONMENT } from "../shared/environment.ts";
import { answerOpenItems } from "./person.ts";

await work(process.argv[2]!);

async function work(folder: string): Promise<void> {
  const { client, close } = await connect({ folder, io: { env: ENVIRONMENT }, drive: true });
  try {
    const task = (await readFile(join(folder, "task.txt"), "utf8")).trim();
    const { runId } = await client.post("/api/runs", {
      body: { agent: "factory/supervisor", task },
      idempotencyKey: "add-auth",
    });
    const { signal } = new AbortController();
    for await (const item of client.follow({ runId, tree: true, signal })) {
      if (item.type !== "event") continue;
      process.send!(item.event);
      if (item.event.type === "RUN_SUSPENDED") await answerOpenItems(runId, client);
    }
  } finally {
    await close();
  }
}
