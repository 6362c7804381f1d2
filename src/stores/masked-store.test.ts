import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { scratchFolder } from "../../test/support/scratch.ts";
import { fakeClock } from "../clock.ts";
import { shapesOnly } from "../journal/masking/mask.fixture.ts";
import { createMask, type Mask } from "../journal/masking/mask.ts";
import {
  acquireRun,
  childSpawn,
  contextAdded,
  startPayload,
  toolResult,
  toolStarted,
} from "./contract/kit.contract.ts";
import { maskedStore } from "./masked-store.ts";
import { openSqliteStore } from "./sqlite/store.ts";
import { storeContract } from "./store.contract.ts";

const folder = scratchFolder("cadre-masked-");
afterAll(() => rmSync(folder, { recursive: true }));
let count = 0;
const path = (): string => join(folder, `${count++}.db`);

storeContract("masked", async () => {
  const options = { path: path(), clock: fakeClock() };
  const open = () => maskedStore(openSqliteStore(options), shapesOnly());
  let store = open();
  return {
    store,
    clock: options.clock,
    close: () => store.close(),
    async reopen() {
      await store.close();
      store = open();
      return store;
    },
  };
});

const SECRET = "swordfish-4711";
const mask: Mask = createMask({ list: () => [{ name: "KEY", value: SECRET }], hasChanged: () => false });

test("[A61] [R4] secrets are masked by every method that writes to the store", async () => {
  const file = path();
  const store = maskedStore(openSqliteStore({ path: file, clock: fakeClock() }), mask);
  const say = `it is ${SECRET}`;
  const start = startPayload({ task: say, input: { [SECRET]: [say] } });
  await store.runs.start("r1", start, { key: say, body: JSON.stringify({ task: say }) });
  expect(await store.runs.start("rX", start, { key: say, body: JSON.stringify({ task: say }) })).toEqual({
    runId: "r1",
    existed: true,
  });
  const driver = await acquireRun(store, "r1");
  await driver.append([toolStarted("m1.0")], {
    spawn: { ...childSpawn("c1", "r1"), events: [contextAdded("c", say)] },
  });
  await driver.append([toolResult("m1.0", { deep: [say] })]);
  await store.journal.append({ runId: "r1", after: 0, events: [contextAdded("x", say)] });
  await store.runs.say({
    sessionId: say,
    agent: "tester",
    context: { id: "y", source: "person", text: say },
    runId: "r2",
    start: startPayload({ rootRunId: "r2", sessionId: say, task: say }),
  });
  await store.runs.cancel("r2", { by: say, reason: say });
  await store.leases.quarantine({ runId: "r1", reason: say, seq: undefined });
  const hash = await store.blobs.put(`${say} ${"x".repeat(100)}`);
  expect(await store.blobs.get(hash)).toContain("⟦secret KEY⟧");
  expect((await store.leases.quarantined())[0]?.reason).toBe("it is ⟦secret KEY⟧");
  expect(await store.runs.get("r2")).toMatchObject({ sessionId: "it is ⟦secret KEY⟧" });

  for (const name of readdirSync(folder).filter((entry) => join(folder, entry).startsWith(file)))
    expect(readFileSync(join(folder, name)).includes(SECRET), name).toBe(false);
  await store.close();
  expect(readFileSync(file).includes(SECRET)).toBe(false);
  expect(readFileSync(file).includes("⟦secret KEY⟧")).toBe(true);
});

test("[R6] a file is stored unchanged; a tree with a file that contains a secret is not imported", async () => {
  const store = maskedStore(openSqliteStore({ path: path(), clock: fakeClock() }), mask);
  const bytes = Buffer.concat([Buffer.from([0x89, 0xff, 0]), Buffer.from(SECRET)]);
  const blob = await store.blobs.putFile(bytes);
  expect(await store.blobs.get(blob)).toBe(bytes.toString("base64"));
  const blobs = new Map([[blob, bytes.toString("base64")]]);
  const tree = { transferId: "t", root: "r1", events: [], blobs, standing: new Map() };
  await expect(store.transfers.import(tree)).rejects.toMatchObject({ code: "UNPROCESSABLE" });
  await store.close();
});
