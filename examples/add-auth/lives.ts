// The process that does the work, as often as it takes: it may be killed with SIGKILL in the middle of it, once.

import { fork } from "node:child_process";
import { once } from "node:events";
import { delimiter, dirname, join } from "node:path";
import type { JournalEvent } from "../../src/journal/events.ts";

const WORK = join(import.meta.dirname, "work.ts");

export interface Watcher {
  /** Hears every event of the tree once, in order, whichever life it happened in. True: this one is the last of its life. */
  saw(event: JournalEvent): boolean;
  killed(): void;
}

/** Works until the run has ended. */
export async function liveThrough(folder: string, watcher: Watcher): Promise<void> {
  let seen = 0;
  for (;;) {
    let killed = false;
    const child = fork(WORK, [folder], { env: { ...process.env, PATH: pathWithThisNode() } });
    child.on("message", (message) => {
      const event = message as JournalEvent;
      // A life begins by telling all that was before it.
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

/** The agents' `node` is the one that runs this. */
const pathWithThisNode = (): string => [dirname(process.execPath), process.env["PATH"]].join(delimiter);
