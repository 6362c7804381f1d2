// Tests what happens when no file can be opened for a moment. A separate process has a low limit on open files.

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { scratchFolder } from "../../test/support/scratch.ts";

test("[36.2] if no file can be opened, the last complete set of agents is kept; if no set was loaded before, the answer is 503", () => {
  const root = scratchFolder("cadre-descriptors-");
  try {
    mkdirSync(join(root, "agents"));
    const agent = (name: string, keys = "") =>
      writeFileSync(join(root, "agents", `${name}.md`), `---\ndescription: d\n${keys}\n---\nWork.\n`);
    agent("boss", "agents: [hand]");
    agent("hand");
    const program = fileURLToPath(new URL("./exhausted-descriptors.fixture.ts", import.meta.url));
    const shell = `ulimit -n 100; exec "$0" "$1" "$2"`;
    const said = execFileSync("bash", ["-c", shell, process.execPath, program, root], { encoding: "utf8" });
    const both = "boss:true,hand:true";
    expect(said.trim().split("\n")).toEqual([both, both, "FILES_UNAVAILABLE", both]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
