// `npm run compare` prints the tables of docs/guide/compare.md: it installs the other products, kills every program of the comparison in the
// middle of its work, and measures CPU and disk per step. It needs only npm, and about twenty minutes.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const HERE = import.meta.dirname;
const PRODUCTS = ["ai", "@langchain/langgraph", "@openai/agents", "@mastra/core"];
const FOLDERS = [HERE, join(HERE, "side-by-side/openai-agents"), join(HERE, "side-by-side/mastra")];

const QUIET = ["--no-audit", "--no-fund", "--silent"];
for (const folder of FOLDERS)
  run("npm", "install", "--prefix", folder, ...QUIET, "--legacy-peer-deps", "--no-package-lock");

console.log(`${new Date().toISOString().slice(0, 10)}, Node ${process.version}`);
for (const product of PRODUCTS) console.log(`${product} ${installedVersion(product)}`);

console.log("\nEach program is killed with SIGKILL and started again: effects and model calls\n");
run(process.execPath, join(HERE, "side-by-side/kill.ts"));
console.log("\nCPU and disk per step\n");
run(process.execPath, join(HERE, "main.ts"));

function installedVersion(product: string): string {
  for (const folder of FOLDERS)
    try {
      const text = readFileSync(join(folder, "node_modules", product, "package.json"), "utf8");
      return (JSON.parse(text) as { version: string }).version;
    } catch {
      // This folder has other products.
    }
  return "is not installed";
}

function run(program: string, ...words: string[]): void {
  execFileSync(program, words, { stdio: "inherit" });
}
