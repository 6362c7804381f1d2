// Starts a real Restate server for tests, with its own folder and ports. The folder and the ports are released when the tests end.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { describe as anyDescribe, test as anyTest } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { findRestate } from "./binary.fixture.ts";

export interface TestRestate {
  ingress: string;
  admin: string;
  /** Queries Restate's internal tables. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** Unregisters the workers of a service. */
  forget(service: string): Promise<void>;
  /** Kills the server without cleaning up, like a crash. Its files stay. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Kills the server and deletes its files. */
  end(): Promise<void>;
}

const binary = findRestate();

/** Skips the tests on a platform for which there is no Restate binary. `test/untried.ts` reports skipped tests. */
export const test = anyTest.skipIf(!binary);
export const describe = anyDescribe.skipIf(!binary);

export async function startRestate(): Promise<TestRestate> {
  const folder = scratchFolder("cadre-restate-");
  const [ingress, admin, node] = (await freePorts(3)) as [number, number, number];
  const run = () => serve(folder, { ingress, admin, node });
  let server = await run();
  const kill = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill("SIGKILL");
    await once(server, "exit");
  };
  const adminUrl = `http://127.0.0.1:${admin}`;
  return {
    ingress: `http://127.0.0.1:${ingress}`,
    admin: adminUrl,
    query: (sql) => ask(adminUrl, sql),
    async forget(service) {
      const found = await fetch(`${adminUrl}/services/${service}`);
      const { deployment_id } = (await found.json()) as { deployment_id: string };
      await fetch(`${adminUrl}/deployments/${deployment_id}?force=true`, { method: "DELETE" });
    },
    kill,
    async start() {
      server = await run();
    },
    async end() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function ask(admin: string, query: string): Promise<Record<string, unknown>[]> {
  const answer = await fetch(`${admin}/query`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ query }),
  });
  return ((await answer.json()) as { rows: Record<string, unknown>[] }).rows;
}

interface Ports {
  ingress: number;
  admin: number;
  node: number;
}

async function serve(folder: string, { ingress, admin, node }: Ports): Promise<ChildProcess> {
  const server = spawn(
    binary!,
    [
      ["--no-logo", "--bind-ip=127.0.0.1", "--listen-mode=tcp", `--bind-port=${node}`],
      [`--base-dir=${folder}`, "--node-name=test"],
    ].flat(),
    {
      stdio: "ignore",
      env: {
        RESTATE_DISABLE_TELEMETRY: "true",
        RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
        RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
        RESTATE_DEFAULT_NUM_PARTITIONS: "4",
        RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: "256MB",
        RUST_LOG: "error",
      },
    },
  );
  const { pid } = server;
  const guard = spawn("sh", ["-c", GUARD, String(pid), folder], { stdio: ["pipe", "ignore", "ignore"] });
  server.on("exit", () => guard.kill("SIGKILL"));
  const isWell = (url: string) =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  while (
    !(await isWell(`http://127.0.0.1:${admin}/health`)) ||
    !(await isWell(`http://127.0.0.1:${ingress}/restate/health`))
  ) {
    if (server.exitCode !== null) throw new Error(`Restate did not start (exit ${server.exitCode}).`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return server;
}

/** A shell script that waits until the test process ends, then kills the server and deletes the server's folder. */
const GUARD = 'read -r _; kill -KILL "$0"; sleep 0.2; rm -rf "$1"';

/** Opens all ports before closing any of them, so that no port is returned twice. */
export async function freePorts(count: number): Promise<number[]> {
  const probes = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(probes.map((probe) => once(probe, "listening")));
  const ports = probes.map((probe) => (probe.address() as AddressInfo).port);
  await Promise.all(probes.map((probe) => once(probe.close(), "close")));
  return ports;
}
