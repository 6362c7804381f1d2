// Tests what happens when no file can be opened for a moment. A separate process has a low limit on open files.

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { scratchFolder } from "../../test/support/scratch.ts";

const BOTH = "boss:true,hand:true";

test("[36.2] if no file can be opened, the last complete set of agents is kept; if no set was loaded before, the answer is 503", () => {
  expect(agentsWithoutDescriptors()).toEqual([BOTH, BOTH, "FILES_UNAVAILABLE", BOTH]);
});

test("[FAULTS §1.7] [36.2] the scenario detects a broken version that takes an unreadable file for a missing one", () => {
  const [before, kept, fresh, after] = agentsWithoutDescriptors("broken");
  expect([before, after]).toEqual([BOTH, BOTH]);
  expect(kept).not.toBe(BOTH);
  expect(fresh).not.toBe("FILES_UNAVAILABLE");
});

/** Reads the agents four times: with free descriptors, without any, without any in a new set of agents, and with free descriptors again. */
function agentsWithoutDescriptors(...mutant: string[]): string[] {
  const root = scratchFolder("cadre-descriptors-");
  try {
    mkdirSync(join(root, "agents"));
    const agent = (name: string, keys = "") =>
      writeFileSync(join(root, "agents", `${name}.md`), `---\ndescription: d\n${keys}\n---\nWork.\n`);
    agent("boss", "agents: [hand]");
    agent("hand");
    const program = fileURLToPath(new URL("./exhausted-descriptors.fixture.ts", import.meta.url));
    const argv = ["-c", 'ulimit -n 100; exec "$0" "$@"', process.execPath, program, root, ...mutant];
    return execFileSync("bash", argv, { encoding: "utf8" }).split("\n").slice(0, 4);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
