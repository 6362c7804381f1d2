// Runs the most common actions of each program once. Node then caches the compiled code, so the program starts faster in tests.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Program, programPath } from "../support/programs.ts";
import { scratchFolder } from "../support/scratch.ts";

const FILES = {
  "agents/lead.md":
    "---\nname: lead\ndescription: Leads.\nmodel: scripted/lead\nagents: [worker]\n---\nLead.\n",
  "agents/worker.md":
    "---\nname: worker\ndescription: Works.\nmodel: scripted/worker\nkind: subagent\n---\nWork.\n",
  "lead.script.yaml": `turns:
  - when: { turn: 1 }
    calls: [{ tool: delegate, input: { agent: worker, task: "Write it" } }]
  - report: { summary: Done. }
`,
  "worker.script.yaml": `turns:
  - when: { turn: 1 }
    calls: [{ tool: Write, input: { path: a.txt, content: "one\\n" } }, { tool: Read, input: { path: README.md } }]
  - report: { summary: Written. }
`,
  "README.md": "# Something to read\n",
};

export async function train(): Promise<void> {
  const folder = scratchFolder("cadre-trains-");
  try {
    mkdirSync(join(folder, "agents"));
    for (const [path, text] of Object.entries(FILES)) writeFileSync(join(folder, path), text);
    await waitForExit(start("crash-child", folder, "team", join(folder, "crash"), "1000000"));
    await waitForExit(start("cadre", folder, "run", "lead", "Mend it", "--yes"));
    await waitForExit(start("cadre", folder, "runs", "--json"));
    const up = start("cadre", folder, "up", "--port", "0", "--no-open", "--json");
    const [line] = (await once(createInterface(up.stdout!), "line")) as [string];
    await (await fetch((JSON.parse(line) as { link: string }).link)).text();
    up.kill("SIGTERM");
    await waitForExit(up);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const start = (program: Program, folder: string, ...args: string[]): ChildProcess =>
  spawn(process.execPath, [programPath(program), ...args], {
    cwd: folder,
    // A clean environment prevents the program from using the developer's own store and keys.
    env: { PATH: process.env["PATH"], HOME: folder, CADRE_TEST_TRAINS: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });

async function waitForExit(child: ChildProcess): Promise<void> {
  child.stdout!.resume();
  const complaints = await child.stderr!.setEncoding("utf8").toArray();
  if (child.exitCode === null) await once(child, "exit");
  if (child.exitCode !== 0) throw new Error(`${child.spawnargs.join(" ")} failed: ${complaints.join("")}`);
}
