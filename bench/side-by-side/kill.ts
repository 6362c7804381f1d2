// `node bench/side-by-side/kill.ts`: kills each program of the comparison with SIGKILL and starts it again, as its user would.
// Counts how often the tool's effect happened and how often the model was called, compared with a run that nobody kills.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Counts {
  /** How often the tool's effect happened. */
  effects: number;
  modelCalls: number;
  /** The last line that the program printed at the end, or how it failed. */
  printed: string;
}

const ROOT = join(import.meta.dirname, "../..");
const PRODUCTS: Record<string, string> = {
  Cadre: "examples/compare",
  "AI SDK": "bench/side-by-side/ai-sdk",
  "LangGraph.js": "bench/side-by-side/langgraph",
  "OpenAI Agents": "bench/side-by-side/openai-agents",
  Mastra: "bench/side-by-side/mastra",
};
const PROGRAMS = ["hello", "tool", "typed", "stream", "approval", "children"];
const EFFECTS: Record<string, string> = { tool: "weather.log", approval: "refunds.log" };

/** Runs a program to its end. With `killAt`, such as `refunds.log:1`, it is killed right after that line was written, and started again. */
export function playProgram(product: string, program: string, killAt?: string): Counts {
  const folder = mkdtempSync(join(tmpdir(), "cadre-side-by-side-"));
  try {
    const file = join(ROOT, PRODUCTS[product]!, `${program}.${product === "Cadre" ? "ts" : "js"}`);
    // The first start of `approval` asks, the second start approves.
    if (program === "approval") startProgram(file, [], folder);
    if (killAt !== undefined && startProgram(file, ["yes"], folder, killAt).signal !== "SIGKILL")
      throw new Error(`${file} did not reach ${killAt}.`);
    const { status, stdout, stderr } = startProgram(file, ["yes"], folder);
    const said = status === 0 ? stdout : `exit code ${status}: ${stderr}`;
    return {
      effects: countLines(join(folder, EFFECTS[program] ?? "none")),
      modelCalls: countLines(join(folder, "calls.log")),
      printed: said.trim().split("\n").at(-1)!,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function startProgram(file: string, args: string[], cwd: string, kill = "") {
  const { PATH } = process.env;
  const env = { PATH, HOME: cwd, TMPDIR: cwd, KILL: kill, OPENAI_AGENTS_DISABLE_TRACING: "1" };
  return spawnSync(process.execPath, [file, ...args], { cwd, env, encoding: "utf8" });
}

const countLines = (file: string): number =>
  existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").length : 0;

if (import.meta.main) {
  console.log("| program | product | killed at | effects | model calls | without a kill | printed |");
  console.log("| --- | --- | --- | --- | --- | --- | --- |");
  for (const program of PROGRAMS)
    for (const product of Object.keys(PRODUCTS)) {
      const calm = playProgram(product, program);
      // In the middle of the tool. A program without a tool is killed in its last model call.
      const killAt = program in EFFECTS ? `${EFFECTS[program]}:1` : `calls.log:${calm.modelCalls}`;
      const { effects, modelCalls, printed } = playProgram(product, program, killAt);
      const cells = [program, product, killAt, effects, modelCalls, calm.modelCalls, printed.slice(0, 80)];
      console.log(`| ${cells.join(" | ")} |`);
    }
}
