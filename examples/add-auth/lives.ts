// Starts the process that does the work, and starts a new process each time the old one is killed with SIGKILL.

import { fork } from "node:child_process";
import { once } from "node:events";
import { delimiter, dirname, join } from "node:path";
import type { JournalEvent } from "../../src/journal/events.ts";

const WORK = join(import.meta.dirname, "work.ts");
const FORGE = join(import.meta.dirname, "forge");

export interface Watcher {
  /** Called once for every event of the tree, in order, across all processes. If `saw` returns true, the process is killed. */
  saw(event: JournalEvent): boolean;
  killed(): void;
}

/** Starts processes until the run has ended. */
export async function liveThrough(folder: string, watcher: Watcher): Promise<void> {
  let seen = 0;
  for (;;) {
    let killed = false;
    const child = fork(WORK, [folder], { env: { ...process.env, PATH: agentsPath() } });
    child.on("message", (message) => {
      const event = message as JournalEvent;
      // A new process reports all earlier events again, so we skip them.
      if (killed || event.position <= seen) return;
      seen = event.position;
      if (watcher.saw(event)) killed = child.kill("SIGKILL");
    });
    const [[code]] = await Promise.all([once(child, "exit"), once(child, "disconnect")]);
    if (code === 0) return;
    if (!killed)
      throw new Error(`The process that does the work ended with ${code}. All it recorded is in ${folder}.`);
    watcher.killed();
  }
}

/** A PATH on which the agents find the `gh` of the example's forge, and the same Node that runs this script. */
const agentsPath = (): string => [FORGE, dirname(process.execPath), process.env["PATH"]].join(delimiter);
