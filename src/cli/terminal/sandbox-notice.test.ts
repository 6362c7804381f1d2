// Tests the notice about a missing sandbox. The machine of the test may have one, so the commands get a PATH without its programs.

import { execFileSync } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agent, project } from "../cli.fixture.ts";
import { createInvocation } from "../invocation.ts";
import { printOnce } from "./sandbox-notice.ts";

const FILES = {
  "agents/coder.md": agent("coder"),
  "coder.script.yaml": "turns:\n  - report: { summary: Done. }\n",
};
const NOTICE = /No sandbox works here, so commands of agents run with all your rights\. To change that: /;

async function withoutSandbox() {
  const p = await project(FILES);
  const bin = join(p.folder, "..", "bin");
  await mkdir(bin);
  for (const name of ["git", "sh"])
    await symlink(
      execFileSync("sh", ["-c", `command -v ${name}`])
        .toString()
        .trim(),
      join(bin, name),
    );
  Object.assign(p.env, { PATH: bin, CADRE_TRUST: "1" });
  return p;
}

test("[A94] [30.18] without a sandbox, `cadre run` says so once, and never to a program", async () => {
  await using p = await withoutSandbox();
  const run = async (...args: string[]) => p.start("run", "coder", "work", ...args).end();
  for (const args of [["-p"], ["--output", "json"], ["--json"]])
    expect((await run(...args)).stderr, args.join()).not.toMatch(NOTICE);
  const first = await run();
  expect(first.stderr).toMatch(NOTICE);
  expect(first.stderr.match(/No sandbox/g)).toHaveLength(1);
  expect(first.stderr).not.toContain("\u001B");
  expect(first.stdout).not.toMatch(NOTICE);
  expect((await run()).stderr).not.toMatch(NOTICE);
});

test("[A94] [30.18] without a sandbox, `cadre chat` says so once and `cadre doctor` each time, with what to install", async () => {
  await using p = await withoutSandbox();
  expect((await p.start("chat", "coder").end()).stderr).toMatch(NOTICE);
  expect((await p.start("chat", "coder").end()).stderr).not.toMatch(NOTICE);
  for (const time of [1, 2]) {
    const { stdout } = await p.start("doctor").end();
    expect(stdout, `${time}`).toMatch(
      /^warn {2}sandbox: none, so commands run with your permissions: .+\n {6}\S/m,
    );
  }
  const findings = (await p.start("doctor", "--json").end()).stdout
    .trim()
    .split("\n")
    .flatMap((line) => JSON.parse(line));
  expect(findings.find(({ name }) => name === "sandbox")).toMatchObject({ isDanger: true });
});

test("[A94] [30.18] a person who has chosen `sandbox: none` is not warned", async () => {
  await using p = await withoutSandbox();
  await p.write("cadre.yaml", "sandbox: none\n");
  expect((await p.start("run", "coder", "work").end()).stderr).not.toMatch(NOTICE);
});

test.each([
  ["a terminal", true, {}, "\u001B[31m"],
  ["a terminal with NO_COLOR", true, { NO_COLOR: "1" }, "cadre: "],
  ["a dumb terminal", true, { TERM: "dumb" }, "cadre: "],
  ["a file", false, {}, "cadre: "],
])("[A94] [30.18] the notice is red at a terminal with colours: %s", async (_, isTTY, env, begin) => {
  await using p = await project({});
  const written: string[] = [];
  const stderr = { isTTY, columns: 80, write: (text: string) => written.push(text) };
  const io = {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr,
    env: { HOME: p.folder, ...env },
    cwd: p.folder,
  };
  const invocation = createInvocation(io, p.folder, { json: false, plain: false });
  printOnce("No sandbox.", invocation);
  printOnce("No sandbox.", invocation);
  expect(written).toHaveLength(1);
  expect(written[0]!.startsWith(begin)).toBe(true);
  expect(written[0]!.includes("\u001B")).toBe(begin !== "cadre: ");
  printOnce(undefined, invocation);
  printOnce("No sandbox.", invocation);
  expect(written).toHaveLength(2);
});
