// A program for tests with a low limit on open files. It loads agents, uses up all file descriptors, and asks for the agents again.
// Prints one line with the answer to each request. With the argument `broken`, a file that cannot be read for a moment counts as missing.

import { closeSync, openSync, readFileSync, utimesSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { AgentSet } from "./load.ts";

const [root, mutant] = process.argv.slice(2) as [string, string | undefined];
if (mutant === "broken") forgetTemporaryFailures();
const { watchAgents } = await import("./watch-agents.ts");
const models = { default: "scripted/rehearsal", resolve: (name: string) => ({ model: name }) };
const watched = () => watchAgents({ project: root, builtin: join(root, "none") }, { models });

async function ask(agents: () => Promise<AgentSet>): Promise<string> {
  await setImmediate();
  try {
    const set = await agents();
    return [...set.agents.values()]
      .map(({ name, definition }) => `${name}:${definition !== undefined}`)
      .join();
  } catch (error) {
    return (error as { code: string }).code;
  }
}

/** Removes the list of the errors that pass by themselves. */
function forgetTemporaryFailures(): void {
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      if (!url.endsWith("/src/errors.ts")) return loaded;
      const source = readFileSync(new URL(url), "utf8").replace(
        /const TEMPORARY = new Set\(\[.*?\]\);/,
        "const TEMPORARY = new Set();",
      );
      return { ...loaded, source };
    },
  });
}

function exhaust(): number[] {
  const open: number[] = [];
  try {
    for (;;) open.push(openSync("/dev/null", "r"));
  } catch {
    return open;
  }
}

const known = watched();
const lines = [await ask(known)];
const open = exhaust();
// The file's time changes, so Cadre must read the file again.
utimesSync(join(root, "agents", "hand.md"), 1, 1);
lines.push(await ask(known), await ask(watched()));
for (const descriptor of open) closeSync(descriptor);
lines.push(await ask(known));
console.log(lines.join("\n"));
