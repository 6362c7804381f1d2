// Runs each program of docs/guide/compare.md that is written with Cadre, and compares its lines with the table.

import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { playProgram } from "../../bench/side-by-side/kill.ts";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/guide/compare.md"), "utf8");

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "cadre-compare-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

function start(folder: string, program: string, args: string[] = []) {
  const { stdout } = spawnSync(process.execPath, [join(import.meta.dirname, `${program}.ts`), ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, TMPDIR: folder },
    encoding: "utf8",
  });
  return { printed: stdout.trim() };
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

test("[27] approval.ts asks, and refunds once when it is started again", () => {
  const folder = newFolder();
  expect(start(folder, "approval").printed).toBe("tool: refund");
  expect(start(folder, "approval", ["yes"]).printed).toContain('The tools said: {"refunded":500}');
  expect(readFileSync(join(folder, "refunds.log"), "utf8")).toMatch(/^7 500 \S+\n$/);
});

test.each([
  ["tool", "weather.log:1", "modelCalls"],
  ["approval", "refunds.log:1", "effects"],
  ["children", "calls.log:4", "modelCalls"],
] as const)(
  "[27] after kill -9 and a new start, %s.ts does what the comparison says",
  (program, at, what) => {
    const { printed, [what]: count } = playProgram("Cadre", program, at);
    expect(printed).not.toContain("exit code");
    expect(page).toMatch(new RegExp(`\\| \`${program}\`: .*? \\| \\*\\*${count}\\*\\* \\|`));
  },
);

test("[27] the comparison states the right number of lines for every program", () => {
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
