// The server process of `cadre up --demo`. The supervisor starts it as a child process.
// The server exits when its supervisor exits, because only the supervisor can restart a killed server.

import { once } from "node:events";
import { exitCode, toCadreError } from "../../errors.ts";
import { NPX } from "../command-line.ts";
import { stayUp, type UpOptions } from "../commands/up.ts";
import { createInvocation } from "../invocation.ts";
import { maskIo } from "../masked-io.ts";
import { createKillSwitch } from "./kill-switch.ts";
import { DEMO_AGENT } from "./project-copy.ts";
import type { DemoReady, DemoServerOptions } from "./supervise.ts";

process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
const [start] = (await once(process, "message")) as [DemoServerOptions<UpOptions>];
process.exit(await serveDemo(start));

async function serveDemo(start: DemoServerOptions<UpOptions>): Promise<number> {
  const { folder, task, json, options, cadre, goneAt } = start;
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

interface DemoAnnouncement {
  /** A link that signs in one browser and works once. */
  link: string;
  folder: string;
  /** True if the server was killed from its web page and restarted. */
  again: boolean;
  /** The command that starts Cadre from any folder, for example `npx cadre`. */
  cadre: string;
}

/** Tells the person where to look, what is real and what is scripted, and how to use a real model. */
function demoLines({ link, folder, again, cadre }: DemoAnnouncement): string[] {
  if (again) return ["", "The server was killed and restarted. To sign in another browser:", `  ${link}`];
  return [
    "Open this link, it signs your browser in:",
    `  ${link}`,
    "",
    "An incident is in progress there and waits for you. The service, its bug, its log and its tests are real;",
    `the model is scripted. Everything is a copy in ${folder}.`,
    "",
    cadre === NPX
      ? "To use a real model in the current project:"
      : "To use a real model in a project of your own:",
    "  export ANTHROPIC_API_KEY=…          # or OPENAI_API_KEY, GEMINI_API_KEY",
    // Prints no `cd` for `npx`: in another folder `npx` would download a package of this name from the registry.
    cadre === NPX ? `  ${NPX} init` : `  cd your-project && ${cadre} init`,
    `  ${cadre} up`,
    "",
    "Ctrl-C ends the demo. To run it again, in the terminal only:",
    `  ${cadre} demo`,
  ];
}
