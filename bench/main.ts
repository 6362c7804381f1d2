// `npm run bench` compares Cadre with its peers on this machine in one run. README.md explains the table.
// `npm run bench trees` measures only the tree of runs; `patterns` compares the patterns with tool calls; `sse` measures how
// soon events reach readers; `load` measures requests while runs work; `memory` measures a server during steady work; `usage` measures a usage report over 100,000 runs; `scale` measures worker processes on each
// engine; `sim` simulates the limits of a fleet.

import { execFileSync, fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { fileURLToPath } from "node:url";
import type { Measure, Measured } from "./child.ts";
import { load } from "./load.ts";
import { memory } from "./memory.ts";
import { patterns } from "./patterns.ts";
import { scale } from "./scale.ts";
import { sim } from "./sim/main.ts";
import { sse } from "./sse.ts";
import { median, print, whole } from "./table.ts";
import { usage } from "./usage.ts";

const CONTENDERS = ["floor", "langgraph", "langgraph-delta", "cadre"];

/** A child process that takes longer is killed. */
const CHILD_LIMIT = 90_000;

/** If one column takes a contender longer than this, the remaining rounds skip it. */
const ENOUGH = 20_000;

/**
 * CPU columns, with the ratio to the floor that Cadre aims at. A warm-up of 100 steps represents a young process such as
 * `cadre run`; one of 1,000 steps represents a server whose hot code is compiled.
 */
const CPU_COLUMNS = [
  { title: "1 run × 50", runs: 1, steps: 50, warmUp: 100, repetitions: 7, target: "≤ 1.30" },
  { title: "1 × 50, warm", runs: 1, steps: 50, warmUp: 1_000, repetitions: 5, target: "" },
  { title: "1 × 100", runs: 1, steps: 100, warmUp: 100, repetitions: 5, target: "" },
  { title: "1 × 400", runs: 1, steps: 400, warmUp: 100, repetitions: 5, target: "≤ 0.90" },
  { title: "200 × 20", runs: 200, steps: 20, warmUp: 100, repetitions: 3, target: "≤ 0.60" },
];

/** The same number of steps in runs of different length, so that the growth of a single file does not hide the size of each step. */
const DISK_COLUMNS = [
  { title: "at 10", runs: 40, steps: 10, target: "≤ 1,200" },
  { title: "at 100", runs: 4, steps: 100, target: "≤ 1,200" },
  { title: "at 400", runs: 1, steps: 400, target: "≤ 1,200" },
];

const EXTRA_TARGETS: Record<string, string> = { "commits per step": "≤ 2", "due-scan ms": "< 20" };

const TREE_COLUMNS = [
  { title: "young", warmUp: 1 },
  { title: "warm", warmUp: 20 },
];
const TREE_CONTENDERS = ["floor", "cadre"];

await main(process.argv[2]);

async function main(name = "peers"): Promise<void> {
  const bench = new Map([
    ["peers", () => peers([cpuTable, treeTable, diskTable, extrasTable])],
    ["trees", () => peers([treeTable])],
    ["patterns", patterns],
    ["load", load],
    ["memory", memory],
    ["sse", sse],
    ["usage", usage],
    ["scale", scale],
    ["sim", sim],
  ]).get(name);
  if (!bench) {
    console.error(
      `There is no bench called ${name}: say \`npm run bench\`, and \`trees\`, \`patterns\`, \`sse\`, \`usage\`, \`scale\` or \`sim\` behind it.`,
    );
    process.exitCode = 1;
    return;
  }
  console.log(`Node ${process.version}, ${availableParallelism()} × ${cpus()[0]?.model ?? "unknown CPU"}`);
  await bench();
  console.log(`\n${Math.round(performance.now() / 1000)} seconds`);
}

/** The peers are installed in this folder when needed, and never with the product. */
async function peers(tables: readonly ((ask: Ask) => Promise<void>)[]): Promise<void> {
  const here = fileURLToPath(new URL(".", import.meta.url));
  execFileSync("npm", ["install", "--prefix", here, "--no-audit", "--no-fund", "--silent"], {
    stdio: "inherit",
  });
  console.log();
  for (const name of CONTENDERS) console.log(`${name.padEnd(16)} ${await describe(name)}`);
  const problems = new Map<string, string>();
  const ask = async (name: string, measure: Measure): Promise<Measured> => {
    if (problems.has(name)) return {};
    process.stderr.write(`\r\x1b[K${name}: ${JSON.stringify(measure)}`);
    const measured = await inChild(name, measure);
    process.stderr.write("\r\x1b[K");
    if (measured.problem !== undefined) problems.set(name, measured.problem);
    return measured;
  };
  for (const table of tables) await table(ask);
  for (const [name, problem] of problems) console.log(`\n${name}: ${problem}`);
}

type Ask = (name: string, measure: Measure) => Promise<Measured>;

async function cpuTable(ask: Ask): Promise<void> {
  const columns: Column[] = [];
  for (const column of CPU_COLUMNS) columns.push(await measureColumn(column, ask));
  const peaks = columns.at(-1)?.peaks;
  print("CPU ms per step, median (× floor)", [
    ["", ...CPU_COLUMNS.map((column) => column.title), "peak RSS at 200 × 20"],
    ...CONTENDERS.map((name) => [
      name,
      ...columns.map(({ cpu }) => withRatio(median(cpu.get(name)), median(cpu.get("floor")))),
      megabytes(median(peaks?.get(name))),
    ]),
    ["floor, least–most", ...columns.map(({ cpu }) => leastAndMost(cpu.get("floor"))), ""],
    ["target of cadre", ...CPU_COLUMNS.map((column) => column.target && `(${column.target})`), ""],
  ]);
}

interface Column {
  cpu: Map<string, number[]>;
  peaks: Map<string, number[]>;
}

/** Each round measures all contenders in turn, so a machine that slows down slows all of them. */
async function measureColumn(
  { runs, steps, warmUp, repetitions }: (typeof CPU_COLUMNS)[number],
  ask: Ask,
): Promise<Column> {
  const column: Column = { cpu: new Map(), peaks: new Map() };
  const spent = new Map<string, number>();
  for (let round = 0; round < repetitions; round++) {
    for (const name of CONTENDERS.filter((contender) => (spent.get(contender) ?? 0) < ENOUGH)) {
      const began = performance.now();
      const { cpu, peak } = await ask(name, { kind: "cpu", runs, steps, warmUp });
      spent.set(name, (spent.get(name) ?? 0) + performance.now() - began);
      if (cpu !== undefined) column.cpu.set(name, [...(column.cpu.get(name) ?? []), cpu]);
      if (peak !== undefined) column.peaks.set(name, [...(column.peaks.get(name) ?? []), peak]);
    }
  }
  return column;
}

async function treeTable(ask: Ask): Promise<void> {
  const columns: Map<string, number[]>[] = [];
  for (const { warmUp } of TREE_COLUMNS) {
    const column = new Map<string, number[]>();
    for (let round = 0; round < 5; round++) {
      for (const name of TREE_CONTENDERS) {
        const { cpu } = await ask(name, { kind: "tree", warmUp });
        if (cpu !== undefined) column.set(name, [...(column.get(name) ?? []), cpu]);
      }
    }
    columns.push(column);
  }
  print("CPU ms of a tree of 100 runs on three levels, median (× floor)", [
    ["", ...TREE_COLUMNS.map(({ title }) => title)],
    ...TREE_CONTENDERS.map((name) => [
      name,
      ...columns.map((column) => withRatio(median(column.get(name)), median(column.get("floor")))),
    ]),
    ["target of cadre", ...TREE_COLUMNS.map(() => "(≤ 1.50)")],
  ]);
}

async function diskTable(ask: Ask): Promise<void> {
  const rows: string[][] = [];
  for (const name of CONTENDERS.filter((contender) => contender !== "floor")) {
    const cells: string[] = [];
    for (const { runs, steps } of DISK_COLUMNS)
      cells.push(whole((await ask(name, { kind: "disk", runs, steps })).bytes));
    rows.push([name, ...cells]);
  }
  print("Bytes on disk per step, in runs of 10, 100 and 400 steps", [
    ["", ...DISK_COLUMNS.map((column) => column.title)],
    ...rows,
    ["target of cadre", ...DISK_COLUMNS.map((column) => `(${column.target})`)],
  ]);
}

async function extrasTable(ask: Ask): Promise<void> {
  const { extras = {} } = await ask("cadre", { kind: "extras" });
  print("Cadre alone (due-scan: 100,000 suspended runs)", [
    ["", "measured", "target"],
    ...Object.entries(EXTRA_TARGETS).map(([name, target]) => [
      name,
      extras[name]?.toFixed(2) ?? "–",
      `(${target})`,
    ]),
  ]);
}

async function describe(name: string): Promise<string> {
  const { about, problem } = await inChild(name, { kind: "about" });
  if (about === undefined) return problem ?? "says nothing about itself";
  const versions = about.packages.map((dependency) => `${dependency} ${versionOf(dependency)}`);
  return [...versions, about.durability].join(" · ");
}

function versionOf(dependency: string): string {
  const path = new URL(`./node_modules/${dependency}/package.json`, import.meta.url);
  return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version;
}

/** Never throws: a child that fails, hangs or crashes returns a `problem`. */
function inChild(name: string, measure: Measure): Promise<Measured> {
  const path = fileURLToPath(new URL("./child.ts", import.meta.url));
  const child = fork(path, [name, JSON.stringify(measure)], { timeout: CHILD_LIMIT, killSignal: "SIGKILL" });
  return new Promise((resolve) => {
    child.on("message", (message) => resolve(message as Measured));
    child.on("error", (error) => resolve({ problem: error.message }));
    child.on("exit", (code, signal) =>
      resolve({
        problem: `its process ended without a word (${signal ?? code}) at ${JSON.stringify(measure)}`,
      }),
    );
  });
}

function withRatio(value: number | undefined, floor: number | undefined): string {
  if (value === undefined) return "–";
  return `${value.toFixed(3)} (${floor === undefined ? "?" : (value / floor).toFixed(2)})`;
}

function leastAndMost(values: readonly number[] = []): string {
  if (values.length === 0) return "–";
  return `${Math.min(...values).toFixed(3)}–${Math.max(...values).toFixed(3)}`;
}

function megabytes(bytes: number | undefined): string {
  return bytes === undefined ? "–" : `${Math.round(bytes / 1_000_000)} MB`;
}
