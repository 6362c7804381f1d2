import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inspectSandbox } from "../../project/project.ts";
import { sandboxCheck } from "./sandbox.ts";

async function check(yaml: string, user = 1_000) {
  const folder = await mkdtemp(join(tmpdir(), "cadre-doctor-"));
  await writeFile(join(folder, "cadre.yaml"), yaml);
  const found = await sandboxCheck(folder, { CADRE_TRUST: "1" }, user);
  await rm(folder, { recursive: true });
  return found;
}

const { used } = await inspectSandbox({ sandbox: { driver: "auto", network: "approved", write: [] } });

test.runIf(used === "bwrap")("doctor reports which sandbox works, and its network access", async () => {
  expect(await check("")).toEqual({
    state: "ok",
    name: "sandbox",
    text: "bwrap; network for approved calls",
  });
  expect((await check("sandbox: { driver: bwrap, network: [a.test] }")).text).toBe(
    "bwrap; no network: a list of hosts needs srt",
  );
  expect((await check("sandbox: { network: on }")).text).toBe("bwrap; with network");
  // [A89] [30.9]
  expect(await check("", 0)).toMatchObject({ state: "warn", text: expect.stringContaining("runs as root") });
});

test.runIf(used === "none")("doctor reports why there is no sandbox, and how to get one", async () => {
  expect(await check("")).toMatchObject({
    state: "warn",
    text: expect.stringMatching(/^none, so/),
    fix: expect.any(String),
  });
  expect(await check("sandbox: bwrap")).toMatchObject({ state: "bad", fix: expect.any(String) });
});

test("doctor reports that the configuration turns the sandbox off", async () => {
  expect(await check("sandbox: none")).toEqual({
    state: "warn",
    name: "sandbox",
    text: "none, as configured: commands run with your permissions",
  });
});
