import { once } from "node:events";
import { connect } from "node:http2";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import type { RunId } from "../../ids.ts";
import { engineContract } from "../engine.contract.ts";
import type { Drive } from "../engine.ts";
import { createRestateEngine, type RestateEngineOptions } from "./engine.ts";
import { describe, freePorts, startRestate, type TestRestate, test } from "./restate.fixture.ts";

describe("against a real Restate", () => {
  let restate: TestRestate;
  beforeAll(async () => {
    restate = await startRestate();
  });
  afterAll(() => restate.end());

  const create = (more: Partial<RestateEngineOptions> = {}) =>
    createRestateEngine({
      ingress: restate.ingress,
      admin: restate.admin,
      listen: { host: "127.0.0.1", port: 0 },
      worker: crypto.randomUUID(),
      storeId: "s1",
      pool: "default",
      concurrency: 8,
      onError: () => {},
      ...more,
    });

  async function startEngine(drive: Drive, more: Partial<RestateEngineOptions> = {}) {
    const storeId = crypto.randomUUID();
    const engine = await create({ storeId, ...more });
    onTestFinished(() => engine.stop());
    await engine.start(drive);
    const service = `cadre-${storeId}-default`;
    return {
      engine,
      service,
      /** Number of the service's invocations in Restate, both running and retained. */
      invocations: async () =>
        (await restate.query(`SELECT id FROM sys_invocation WHERE target_service_name = '${service}'`))
          .length,
    };
  }

  engineContract("restate", async () => ({ engine: await create() }));

  test("[J6] fifty wakes during a drive cause one more drive, and Restate retains none of the wakes", async () => {
    const held = Promise.withResolvers<void>();
    const begun: RunId[] = [];
    const { engine, invocations } = await startEngine(async (runId) => {
      begun.push(runId);
      await held.promise;
    });
    await engine.wake("a");
    await expect.poll(() => begun).toHaveLength(1);
    await Promise.all(Array.from({ length: 50 }, () => engine.wake("a")));
    onTestFinished(() => held.resolve());
    // One invocation is being driven, one waits, and the others are completed.
    await expect.poll(invocations).toBe(2);
    held.resolve();
    await expect.poll(invocations).toBe(0);
    expect(begun).toEqual(["a", "a"]);
  });

  test("[E3] Restate lets a drive last a day, drops a wake after 30 failed attempts, and does not retain completed wakes", async () => {
    const { service } = await startEngine(async () => {});
    const answer = await fetch(`${restate.admin}/services/${service}`);
    const { handlers } = (await answer.json()) as { handlers: { name: string }[] };
    expect(handlers).toEqual([
      expect.objectContaining({
        name: "drive",
        ty: "Shared",
        inactivity_timeout: "1d",
        abort_timeout: "1d",
        journal_retention: "0s",
        idempotency_retention: "0s",
        retry_policy: expect.objectContaining({ max_attempts: 30, on_max_attempts: "Kill" }),
      }),
    ]);
  });

  test("[E4] while Restate is down, a worker drives its runs itself and reports this once; later it uses Restate again", async () => {
    const begun: RunId[] = [];
    const said: unknown[] = [];
    const { engine, invocations } = await startEngine(
      async (runId) => {
        begun.push(runId);
        if (runId === "after") await release;
      },
      { onError: (error) => said.push(error) },
    );
    const { promise: release, resolve } = Promise.withResolvers<void>();
    onTestFinished(() => resolve());
    await restate.kill();
    for (const run of ["a", "b"]) await engine.wake(run);
    await expect.poll(() => begun).toEqual(["a", "b"]);
    expect(said.map(String)).toEqual([expect.stringContaining("Nothing is lost")]);
    await restate.start();
    await engine.wake("after");
    await expect.poll(() => begun).toContain("after");
    // Right after its start, Restate does not answer queries yet.
    await expect.poll(invocations).toBe(1);
  });

  test("[E4] a worker that Restate has forgotten registers again", async () => {
    const begun: RunId[] = [];
    const { engine, invocations, service } = await startEngine(async (runId) => {
      begun.push(runId);
      await release;
    });
    const { promise: release, resolve } = Promise.withResolvers<void>();
    onTestFinished(() => resolve());
    await restate.forget(service);
    await engine.wake("lost");
    await expect.poll(() => begun).toEqual(["lost"]);
    const foundAgain = async () => {
      await engine.wake("found");
      return invocations();
    };
    await expect.poll(foundAgain).toBeGreaterThan(0);
  });

  test("a worker refuses a request that is not signed with one of the configured Restate keys", async () => {
    const [port] = (await freePorts(1)) as [number];
    const engine = await create({
      storeId: crypto.randomUUID(),
      listen: { host: "127.0.0.1", port },
      identity: ["publickeyv1_2G8dCQhArfvGpzPw5Vx2ALciR4xCLHfS5YaT93XjNxX9"],
    });
    const starting = engine.start(async () => {});
    await expect.poll(() => statusOf(port, "/discover")).toBe(401);
    expect(await statusOf(port, "/healthz")).toBe(200);
    await Promise.all([starting, engine.stop()]);
  });
});

async function statusOf(port: number, path: string): Promise<unknown> {
  const session = connect(`http://127.0.0.1:${port}`).on("error", () => {});
  try {
    const [headers] = (await once(session.request({ ":path": path }), "response")) as [
      Record<string, unknown>,
    ];
    return headers[":status"];
  } catch {
    return undefined;
  } finally {
    session.destroy();
  }
}
