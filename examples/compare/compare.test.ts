// Runs each program of docs/guide/compare.md that is written with Cadre, and compares its lines with the table.

import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "cadre-compare-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

function start(folder: string, program: string, args: string[] = [], env: Record<string, string> = {}) {
  const { stdout, signal } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, `${program}.ts`), ...args],
    {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: folder, TMPDIR: folder, ...env },
      encoding: "utf8",
    },
  );
  return { printed: stdout.trim(), signal };
}

test.each([
  ["hello", "Hello, Ada!"],
  ["tool", "The tools said: Ulm: 7 degrees"],
  ["typed", "500"],
  ["stream", "Hello, Ada!"],
  ["children", "The tools said:"],
])("[27] %s.ts prints its answer", (program, answer) => {
  expect(start(newFolder(), program).printed).toContain(answer);
});

test("[27] approval.ts refunds once after a restart, and once if kill -9 hits the middle of the refund", () => {
  const restarted = newFolder();
  expect(start(restarted, "approval").printed).toBe("tool: refund");
  expect(start(restarted, "approval", ["yes"]).printed).toContain('The tools said: {"refunded":500}');

  const killed = newFolder();
  expect(start(killed, "approval", ["yes"], { KILL: "1" }).signal).toBe("SIGKILL");
  expect(start(killed, "approval", ["yes"]).printed).toContain(
    "outcome: refund\nThe tools said: A person checked",
  );
  for (const folder of [restarted, killed])
    expect(readFileSync(join(folder, "refunds.log"), "utf8")).toBe("7 500\n");
});

test("[27] the comparison states the right number of lines for every program", () => {
  const root = join(import.meta.dirname, "../..");
  const page = readFileSync(join(root, "docs/guide/compare.md"), "utf8");
  const peers = ["ai-sdk", "langgraph", "openai-agents", "mastra"].map(
    (peer) => `bench/side-by-side/${peer}`,
  );
  for (const row of ["hello", "tool", "typed", "stream", "approval", "children"]) {
    const lines = ["examples/compare", ...peers].map((folder) => {
      const [file] = globSync(`${folder}/${row}.{ts,js}`, { cwd: root });
      const text = readFileSync(join(root, file!), "utf8");
      return text.split("\n").filter((line) => !/^\s*(?:$|\/\/)/.test(line)).length;
    });
    expect(page, row).toMatch(
      new RegExp(`\\(\`${row}\`\\) \\| ${lines.map((count) => `\\**${count}\\**`).join(" \\| ")} \\|`),
    );
  }
});
