// The server process of `cadre up --demo`, a child of its supervisor. It exits with the supervisor: without one, a killed
// demo could not be restarted.

import { once } from "node:events";
import { exitCode, toCadreError } from "../../errors.ts";
import { stayUp, type UpOptions } from "../commands/up.ts";
import { createInvocation } from "../invocation.ts";
import { maskIo } from "../masked-io.ts";
import { demoLines } from "./announcement.ts";
import { createKillSwitch } from "./kill-switch.ts";
import { DEMO_AGENT } from "./project-copy.ts";
import type { DemoReady, DemoServerOptions } from "./supervise.ts";

process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
const [order] = (await once(process, "message")) as [DemoServerOptions<UpOptions>];
process.exit(await serveDemo(order));

async function serveDemo(order: DemoServerOptions<UpOptions>): Promise<number> {
  const { folder, task, json, options, cadre, goneAt } = order;
  const { stdin, stdout, stderr, env } = process;
  const io = maskIo({ stdin, stdout, stderr, env, cwd: process.cwd(), launcher: cadre }, []);
  try {
    return await stayUp(createInvocation(io, folder, { json, plain: false }), options, {
      order: { agent: DEMO_AGENT, task, attended: true },
      words: (link) => demoLines({ link, folder, cadre, again: goneAt !== undefined }),
      plug: (parts) => createKillSwitch(parts, goneAt),
      onUp: (url) => void process.send!({ port: Number(new URL(url).port) } satisfies DemoReady),
    });
  } catch (error) {
    const { code, message } = toCadreError(error);
    io.stderr.write(`cadre: ${message}\n`);
    return exitCode(code);
  }
}
