import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { kill, up } from "../../test/support/killed-server.ts";
import { project } from "../cli/cli.fixture.ts";
import { startSupervisedServer } from "../mcp/supervised-server.ts";
import { processStartTime } from "../process-start.ts";
import { killSession } from "./leftover-processes.ts";

const AGENT = join(import.meta.dirname, "../../test/support/acp-agent.ts");
const CODER = `---
description: works
runner: {acp: {command: "${process.execPath}", args: ["${AGENT}"], env: {ACP_LOADS: "1"}}}
---
You work.
`;
const TASK = "SCRIPT\nchild\nwait\nTHEN\nsay Went on.";

test("[RN8] after kill -9 no process of the program is left, and the next server continues the run", async () => {
  await using p = await project({ "agents/coder.md": CODER, "cadre.yaml": "sandbox: none\n" });
  p.env["CADRE_TRUST"] = "1";
  const log = join(p.folder, "acp.log");
  const first = await up(p, "0");
  const { stdout } = await p.spawn("run", "coder", TASK, "--detach", "--json");
  const { runId } = JSON.parse(stdout.trim().split("\n").at(-1)!) as { runId: string };
  await vi.waitFor(() => expect(existsSync(log) && readFileSync(log, "utf8")).toContain("waiting"), 30_000);
  const pids = [...readFileSync(log, "utf8").matchAll(/^(?:new \S+|child) (\d+)/gm)].map(([, pid]) =>
    Number(pid),
  );
  expect(pids).toHaveLength(2);
  await kill(first.process);
  await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), 30_000);
  await up(p, "0");
  await vi.waitFor(async () => expect((await p.spawn("show", runId)).stdout).toContain("Went on."), {
    timeout: 40_000,
    interval: 500,
  });
}, 90_000);

test("[RN8] leftover processes of a session are killed, unless another process has reused the pid", async () => {
  const left = startSupervisedServer(["sleep", "600"], { cwd: ".", env: { PATH: process.env["PATH"] } });
  killSession(left.pid!, "1");
  expect(isAlive(left.pid!)).toBe(true);
  killSession(left.pid!, processStartTime(left.pid!));
  await left.ended;
  expect(isAlive(left.pid!)).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
