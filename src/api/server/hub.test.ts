// Tests readers of a hub while the store fails. When the store works again, the readers get the events they missed.

import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { CadreError } from "../../errors.ts";
import type { Script } from "../../models/scripted/script.ts";
import { assembleRuntime, type RuntimeAssembly } from "../../runtime/assembly.ts";
import { overrideStore } from "../../stores/override-store.ts";
import type { Store } from "../../stores/store.ts";
import { userStore } from "../access/user-store.ts";
import {
  type Api,
  CLERK,
  payTool,
  serveRuntime,
  tempProject,
  waitForApprovals,
} from "../fixtures/api.fixture.ts";

const clerk: Script = () => ({ calls: [{ tool: "Pay", input: { to: "ann", amount: 5 } }] });

let project: ReturnType<typeof tempProject>;
let runtime: RuntimeAssembly;
let api: Api;

beforeAll(async () => {
  project = tempProject({ "agents/clerk.md": CLERK });
  const { folder } = project;
  runtime = await assembleRuntime({
    ...{ folder, home: folder, env: {}, flags: { store: "sqlite::memory:" } },
    ...{ tools: [payTool().tool], scripts: { clerk } },
  });
  api = await serveRuntime(runtime, folder);
  await runtime.start();
});

afterAll(async () => {
  await api.close();
  await runtime.stop();
  project.remove();
});

/** Makes a store that counts its reads and whose next lookups fail, as in an outage. */
function failingStore() {
  const away = { failures: 0, reads: 0 };
  const { runs, journal } = api.parts.store;
  const store = overrideStore(api.parts.store, {
    runs: {
      async get(runId) {
        if (away.failures === 0) return runs.get(runId);
        away.failures--;
        throw new CadreError("STORAGE_UNUSABLE", "The database is away.");
      },
    },
    journal: {
      readAll(...asked) {
        away.reads++;
        return journal.readAll(...asked);
      },
    },
  });
  return { away, store };
}

test.each([
  ["of the live feed", "/api/events", (store: Store) => store],
  ["of a named user's journals", "/api/journal", (store: Store) => userStore(store, "ann")],
])(
  "[P10] a reader %s gets every event once, even if the store fails to look up the run",
  async (_, path, seen) => {
    const { runId } = await runtime.admit({ agent: "clerk", task: "do", userId: "ann" });
    await waitForApprovals(api, runId);
    const { away, store } = failingStore();
    const response = await api.over(seen(store)).request(`${path}?after=${await store.journal.position()}`);
    await vi.waitFor(() => expect(away.reads).toBe(1));
    await nextTurn();
    const add = (id: string) =>
      store.journal.append({
        runId,
        after: 0,
        events: [{ type: "CONTEXT_ADDED", payload: { id, source: "person", text: id } }],
      });
    for (const id of ["first", "second"]) {
      away.failures = 1;
      await add(id);
      await vi.waitFor(() => expect(away.failures).toBe(0));
      await nextTurn();
    }
    await add("last");
    let text = "";
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.includes('"text":"last"')) break;
    }
    const told = text.matchAll(/"type":"(?:Message|CONTEXT_ADDED)".*"text":"(\w+)"/g);
    expect(Array.from(told, ([, id]) => id)).toEqual(["first", "second", "last"]);
  },
);

test("[V4] [P10] a commit notice without content makes readers read the store; a notice about due runs does not", async () => {
  const told: string[] = [];
  let tell: Parameters<Store["journal"]["onCommit"]>[0] = () => {};
  const { journal } = api.parts.store;
  const store = overrideStore(api.parts.store, {
    journal: {
      readAll(...asked) {
        told.push("read");
        return journal.readAll(...asked);
      },
      onCommit(listener) {
        tell = listener;
        return () => {};
      },
    },
  });
  const after = await store.journal.position();
  const response = await api.over(store).request(`/api/journal?after=${after}`);
  await vi.waitFor(() => expect(told).toEqual(["read"]));
  await nextTurn();
  tell([], ["r1"]);
  await nextTurn();
  expect(told).toEqual(["read"]);
  tell([], []);
  await vi.waitFor(() => expect(told).toEqual(["read", "read"]));
  await response.body!.cancel();
});
