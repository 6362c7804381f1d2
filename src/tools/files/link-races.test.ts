// Real races (A35): while the tools work, another process keeps swapping a folder or file for a link that leads outside.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { editTool } from "../edit.ts";
import { globTool } from "../glob.ts";
import { grepTool } from "../grep.ts";
import { lsTool } from "../ls.ts";
import { readTool } from "../read.ts";
import { tempWorkspace } from "../temp-workspace.fixture.ts";
import type { ToolAnswer, ToolContext } from "../tool.ts";
import { writeTool } from "../write.ts";

const CANARY = "CANARY-of-outside";
const RACE_MS = 2_000;

/** A script that swaps `spot` and `link` thousands of times a second. It prints a dot after every 200 swaps. */
const SWAP = `
const { renameSync } = require("node:fs");
const [spot, link] = process.argv.slice(1);
let made = 0;
process.stdin.on("end", () => process.exit()).resume();
function swap() {
  for (let i = 0; i < 200; i++) {
    try {
      renameSync(spot, spot + ".away"); renameSync(link, spot);
      renameSync(spot, link); renameSync(spot + ".away", spot);
    } catch {
      // A tool created a file at this path while the original was moved away. Rename the tool's file.
      try { renameSync(spot, spot + ".made" + made++); } catch {}
      try { renameSync(spot + ".away", spot); } catch {}
    }
  }
  process.stdout.write(".");
  setImmediate(swap);
}
swap();
`;

async function startSwapping(spot: string, link: string) {
  const child = spawn(process.execPath, ["-e", SWAP, spot, link], { stdio: ["pipe", "pipe", "inherit"] });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    printed += chunk;
  });
  await once(child.stdout, "data");
  return {
    swaps: () => printed.length * 200,
    async stop() {
      child.stdin.end();
      await once(child, "close");
    },
    [Symbol.asyncDispose]: async () => void child.kill("SIGKILL"),
  };
}

async function world() {
  const outside = await tempWorkspace();
  const inside = await tempWorkspace();
  await mkdir(join(outside.path, "sub"));
  await mkdir(join(inside.path, "d/sub"), { recursive: true });
  for (const name of ["f", "sub/f"]) {
    await writeFile(join(outside.path, name), `${CANARY} x\n`);
    await writeFile(join(inside.path, "d", name), "inside x\n");
  }
  await writeFile(join(outside.path, CANARY), "");
  return { outside, inside };
}

async function snapshot(folder: string): Promise<string[]> {
  const names = (await readdir(folder, { recursive: true })).sort();
  return Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const stats = await stat(path);
      return stats.isFile() ? `${name} ${stats.ino} ${await readFile(path, "utf8")}` : name;
    }),
  );
}

type Work = (context: ToolContext, round: number) => Promise<ToolAnswer>;

const READING: [string, Work][] = [
  ["Read", (context) => readTool.execute({ path: "d/f" }, context)],
  ["Read below", (context) => readTool.execute({ path: "d/sub/f" }, context)],
  ["LS", (context) => lsTool.execute({ path: "d" }, context)],
  ["Glob", (context) => globTool.execute({ pattern: "**", path: "." }, context)],
  ["Glob in it", (context) => globTool.execute({ pattern: "**", path: "d" }, context)],
  ["Grep", (context) => grepTool.execute({ pattern: "C.NARY|inside" }, context)],
  ["Grep in it", (context) => grepTool.execute({ pattern: "C.NARY|inside", path: "d/f" }, context)],
];

const CHANGING: [string, Work][] = [
  ["Write", (context, round) => writeTool.execute({ path: "d/f", content: `mine ${round}\n` }, context)],
  [
    "Write new",
    (context, round) => writeTool.execute({ path: `d/new-${round % 50}/x`, content: "x" }, context),
  ],
  [
    "Edit",
    async (context) => {
      const edit = { path: "d/sub/f", new_string: "x x", old_string: "x", replace_all: true };
      const done = await editTool.execute(edit, context);
      await editTool.execute({ ...edit, old_string: "x x", new_string: "x" }, context);
      return done;
    },
  ],
];

async function race(work: readonly [string, Work][], spot: string, target: string): Promise<void> {
  const { outside, inside } = await world();
  await using _outside = outside;
  await using _inside = inside;
  const link = join(inside.path, "link");
  await symlink(join(outside.path, target), link);
  const before = await snapshot(outside.path);
  await using swapper = await startSwapping(join(inside.path, spot), link);
  const answers = { done: 0, refused: 0 };
  const until = performance.now() + RACE_MS;
  // The race must really happen: some calls find the original, and others find the link.
  const isOver = () =>
    performance.now() > until && swapper.swaps() > 1_000 && answers.done > 0 && answers.refused > 0;
  for (let round = 0; !isOver(); round++) {
    for (const [name, one] of work) {
      const answer = await one(inside.context({ key: `k${round}` }), round);
      expect(JSON.stringify(answer), name).not.toContain("CANARY");
      answers[answer.isError ? "refused" : "done"]++;
    }
  }
  await swapper.stop();
  expect(await snapshot(outside.path)).toEqual(before);
}

it.each([
  ["a parent folder", "d", "."],
  ["a subfolder", "d/sub", "sub"],
  ["the file itself", "d/f", "f"],
])(
  "[A35] [X1] [X2] nothing outside the workspace is read while %s is swapped for a link",
  { timeout: 60_000 },
  (_, spot, target) => race(READING, spot, target),
);

it.each([
  ["a parent folder", "d", "."],
  ["a subfolder", "d/sub", "sub"],
  ["the file itself", "d/f", "f"],
])(
  "[A35] [X1] [X2] nothing outside the workspace is changed while %s is swapped for a link",
  { timeout: 60_000 },
  (_, spot, target) => race(CHANGING, spot, target),
);
