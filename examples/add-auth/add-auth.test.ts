// Runs the example with the command from its README. The example checks itself; this test also shows that these checks can fail.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { connect } from "../../src/cli/connection/connect.ts";
import { ENVIRONMENT } from "../shared/environment.ts";
import { problemsOf } from "./checks.ts";
import { readPulls } from "./forge/forge.ts";
import { git, type Stage, stageIn } from "./stage.ts";

const PATIENCE_MS = 120_000;

interface Played extends AsyncDisposable {
  code: number | null;
  stdout: string;
  stderr: string;
  stage: Stage;
}

/** Runs the example in a temporary folder, which is removed on disposal. */
async function play(...args: string[]): Promise<Played> {
  const root = await mkdtemp(join(tmpdir(), "cadre-add-auth-test-"));
  const main = join(import.meta.dirname, "main.ts");
  const child = spawn(process.execPath, [main, ...args], { env: { ...process.env, TMPDIR: root } });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number | null]>,
  ]);
  const [name] = (await readdir(root)).filter((entry) => entry.startsWith("cadre-add-auth-"));
  const remove = () => rm(root, { recursive: true, force: true });
  return { code, stdout, stderr, stage: stageIn(join(root, name!)), [Symbol.asyncDispose]: remove };
}

async function judge(stage: Stage): Promise<string[]> {
  const { client, close } = await connect({ folder: stage.folder, io: { env: ENVIRONMENT }, drive: false });
  try {
    const { runs } = await client.get("/api/runs");
    const root = runs.find(({ depth }) => depth === 0)!.id;
    return problemsOf(
      stage,
      await client.get("/api/runs/{id}/tree", { id: root }),
      await client.treeEvents(root),
    );
  } finally {
    await close();
  }
}

const TREE = `supervisor user completed
├─ planner delegation completed
│  ├─ planner best_of completed
│  ├─ planner best_of completed
│  ├─ planner best_of completed
│  └─ planner best_of completed
├─ worker accounts delegation completed
├─ worker tokens delegation completed
│  └─ researcher delegation completed
├─ worker login delegation completed
└─ reviewer delegation completed
   └─ fixer delegation completed
together`;

/** The printed tree, except the parts that differ from run to run. */
function treeIn(stdout: string): string {
  const lines = stdout.split("\n");
  const printed = lines.slice(lines.findIndex((line) => /^supervisor\s/.test(line)));
  const rows = printed.slice(0, printed.findIndex((line) => line.startsWith("together")) + 1);
  for (const row of rows)
    expect(row).toMatch(
      /\d m?s +\d+ model calls? +[\d,]+ tokens +\$0(?:\.\d+)?(?: +\d+ model calls? in vain)?$/,
    );
  return rows
    .map((row) => row.replace(/ +[\d.]+ m?s .*$/, "").replaceAll(/(?<=\w) {2,}(?=\w)/g, " "))
    .join("\n");
}

test.concurrent("[28.8] [S1-74] [S1-78] six kinds of agents add a feature with passing tests, commit it, push it and open a pull request", {
  timeout: PATIENCE_MS,
}, async () => {
  await using played = await play();
  const { code, stdout, stderr, stage } = played;
  expect(stderr).toBe("");
  expect(code).toBe(0);
  expect(treeIn(stdout)).toBe(TREE);
  expect(stdout).toMatch(/worker login +asks for Write app\.js\n.*worker login +a person says: approve/);
  expect(stdout).toContain("asks for git push -u origin add-auth\n");
  expect(stdout).toMatch(/supervisor +asks for gh pr create .*\n.*supervisor +a person says: approve/);
  expect(readPulls(stage.remote)).toMatchObject([{ number: 1, title: "Add user authentication" }]);

  // The script refers to these lines by their line numbers.
  const lines = git(stage.folder, "show", "add-auth:auth/token.js").split("\n");
  expect(lines[10]).toContain("const exp = Math.floor(now() / 1000) + LIFETIME_S;");
  expect(lines[21]).toContain("return exp * 1000 > now()");

  await rm(stage.judged, { recursive: true });
  git(stage.folder, "rm", "--quiet", "auth/users.js");
  git(stage.folder, "commit", "--quiet", "-m", "Add signed tokens that are good for one hour");
  git(stage.folder, "push", "--quiet");
  expect(await judge(stage)).toEqual([
    expect.stringMatching(/^3 commits were to be made, each once; there are: Add signed tokens/),
    "add-auth was pushed 2 times, not once.",
    expect.stringMatching(/^The tests of add-auth, as it is on the remote, are not green:/),
    expect.stringMatching(/^One pull request was to be open/),
  ]);
});

test.concurrent("[P4] [P6] if the process is killed while the workers work, another process reaches the same result and repeats nothing", {
  timeout: PATIENCE_MS,
}, async () => {
  await using played = await play("--kill");
  const { code, stdout, stderr } = played;
  expect(stderr).toBe("");
  expect(code).toBe(0);
  expect(treeIn(stdout)).toBe(TREE);
  const [first, second, ...more] = stdout.split("Killed (SIGKILL)");
  expect(more).toEqual([]);
  expect(first!.match(/worker \w+ +begins/g)).toHaveLength(3);
  // The researcher begins before or after the kill, but only once.
  expect(stdout.match(/researcher +begins/g)).toHaveLength(1);
  expect(second!.match(/(?:worker \w+|planner) +begins/g)).toBeNull();
  expect(second!.match(/(?:reviewer|fixer) +begins/g)).toHaveLength(2);
  expect(second).toContain("asks for git push -u origin add-auth\n");
});
