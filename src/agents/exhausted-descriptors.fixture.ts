// A program for tests with a low limit on open files. It loads agents, uses up all file descriptors, and asks for the agents again.
// Prints one line with the answer to each request.

import { closeSync, openSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { watchAgents } from "./watch-agents.ts";

const [root] = process.argv.slice(2) as [string];
const models = { default: "scripted/rehearsal", resolve: (name: string) => ({ model: name }) };
const watched = () => watchAgents({ project: root, builtin: join(root, "none") }, { models });

async function ask(agents: ReturnType<typeof watchAgents>): Promise<string> {
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
