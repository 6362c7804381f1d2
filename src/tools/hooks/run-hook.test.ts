import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { runHook } from "./run-hook.ts";

const hook = (command: string, more: Partial<Parameters<typeof runHook>[0]> = {}) => ({
  command,
  input: "{}",
  cwd: scratchFolder("cadre-hook-"),
  env: { PATH: process.env["PATH"] },
  timeoutMs: 60_000,
  signal: new AbortController().signal,
  ...more,
});

const LEAVES_CHILD = "sleep 300 & echo $! > pid.tmp; mv pid.tmp pid; sleep 300";

test("a hook gets its input on stdin, and its stdout and stderr are kept separately", async () => {
  const ran = await runHook(hook("cat; echo no >&2; exit 2", { input: '{"a":1}' }));
  expect(ran).toMatchObject({ code: 2, stdout: '{"a":1}', stderr: "no\n" });
});

test("a hook that does not read its large input succeeds", async () => {
  expect(await runHook(hook("true", { input: "x".repeat(5_000_000) }))).toMatchObject({ code: 0 });
});

test("[HK6] endless output of a hook is cut and reported", async () => {
  const ran = await runHook(hook("head -c 1000000 /dev/zero | tr '\\0' x"));
  expect(ran.stdout).toHaveLength(64_000);
  expect(ran.problem).toContain("more than 64000 characters");
});

test("[HK6] when a hook ends, the processes that it left behind end too", async () => {
  const cwd = scratchFolder("cadre-hook-");
  await runHook(hook("sleep 300 & echo $! > pid", { cwd }));
  await expectDead(join(cwd, "pid"));
});

test("[HK6] a hook is killed when its run is stopped", async () => {
  const stop = new AbortController();
  const cwd = scratchFolder("cadre-hook-");
  const ran = runHook(hook(LEAVES_CHILD, { cwd, signal: stop.signal }));
  await expect.poll(() => existsSync(join(cwd, "pid")), { timeout: 10_000 }).toBe(true);
  stop.abort();
  expect((await ran).problem).toContain("stopped together with the run");
  await expectDead(join(cwd, "pid"));
});

test("[HK6] a hook dies with Cadre, even if Cadre is killed", async () => {
  const cwd = scratchFolder("cadre-hook-");
  const program = `import { runHook } from ${JSON.stringify(new URL("./run-hook.ts", import.meta.url).href)};
    await runHook(${JSON.stringify({ ...hook(LEAVES_CHILD, { cwd }), signal: undefined })});`;
  const given = program.replace('"timeoutMs"', '"signal":new AbortController().signal,"timeoutMs"');
  const cadre = spawn(process.execPath, ["--input-type=module", "-e", given], { stdio: "ignore" });
  await expect.poll(() => existsSync(join(cwd, "pid")), { timeout: 20_000 }).toBe(true);
  cadre.kill("SIGKILL");
  await expectDead(join(cwd, "pid"));
}, 60_000);

async function expectDead(file: string): Promise<void> {
  const pid = Number(readFileSync(file, "utf8"));
  await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}
