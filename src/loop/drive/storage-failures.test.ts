// Temporary storage failures, orderly shutdowns, and repeated attempts of a call.

import { expect, test } from "vitest";
import { effects, oracleTools } from "../../../test/support/oracle.ts";
import { charge, look, scenario, turns } from "../../../test/support/scenario.ts";
import { makeWorld } from "../../../test/support/world.ts";
import { systemClock } from "../../clock.ts";
import { CadreError } from "../../errors.ts";
import { overrideStore } from "../../stores/override-store.ts";
import { openSqliteStore } from "../../stores/sqlite/store.ts";
import type { Store } from "../../stores/store.ts";
import { decideOutcome } from "../commands/person-commands.ts";

/** A store whose writes fail with this error while `broken` is true. */
function failingStore(real: Store, broken: () => boolean): Store {
  const { journal, leases } = real;
  const unlessBroken =
    <Given extends unknown[], T>(write: (...given: Given) => Promise<T>) =>
    (...given: Given): Promise<T> =>
      broken()
        ? Promise.reject(new CadreError("STORAGE_UNUSABLE", "The disk answers with an error."))
        : write(...given);
  return overrideStore(real, {
    journal: { append: unlessBroken(journal.append) },
    leases: { release: unlessBroken(leases.release), quarantine: unlessBroken(leases.quarantine) },
  });
}

test("after a temporary storage failure other than a full disk, every run continues", async () => {
  let failures = 0;
  const real = openSqliteStore({ path: ":memory:", clock: systemClock });
  const store = failingStore(real, () => failures > 0 && failures-- > 0);
  const world = await makeWorld({ script: turns({ calls: [look("a")] }, { text: "went on" }), store });
  try {
    const unsubscribe = real.journal.onCommit((events) => {
      if (!events.some((event) => event.type === "TOOL_STARTED")) return;
      unsubscribe();
      failures = 3;
    });
    const runId = await world.run("look");
    await world.seen(runId, "RUN_COMPLETED");
    expect(failures).toBe(0);
    expect((await world.state(runId)).end?.summary).toBe("went on");
  } finally {
    await world.close();
    await real.close();
  }
});

scenario(
  "[E5][F10] orderly shutdowns never quarantine a run, however many there are",
  { script: ({ attempt }) => (attempt < 8 ? { delay: 600_000, text: "late" } : { text: "in the end" }) },
  async (world) => {
    const runId = await world.run("wait");
    for (let stops = 0; stops < 7; stops++) {
      await world.seen(runId, "MODEL_CALL_STARTED");
      await waitForDrive(world.runtime.parts.drives, runId);
      world.runtime.parts.drainMs = 0;
      await world.restart();
    }
    await world.seen(runId, "RUN_COMPLETED");
    expect((await world.events(runId)).map((event) => event.type)).not.toContain("RUN_SUSPENDED");
  },
);

scenario(
  "[P4][I4] a person's decision on the first attempt of a call does not apply to the second",
  { script: turns({ calls: [charge("card")] }) },
  async (world) => {
    const stuck = () => oracleTools(world.oracle, { after: () => new Promise<void>(() => {}) });
    const waitForCharges = async (count: number): Promise<void> => {
      while (effects(world.oracle).length < count) await new Promise((resolve) => setImmediate(resolve));
    };
    await world.restart({ tools: stuck() });
    const runId = await world.run("charge");
    await waitForCharges(1);
    world.runtime.parts.drainMs = 0;
    world.die();
    await world.restart({ tools: stuck() });
    await world.settled(runId);
    await decideOutcome(runId, "m1.0", { verdict: "run_again" }, "ann", world.runtime.people);
    await waitForCharges(2);
    world.runtime.parts.drainMs = 0;
    world.die();

    await world.restart({ tools: oracleTools(world.oracle) });
    await world.settled(runId);
    const late = decideOutcome(runId, "m1.0", { verdict: "run_again" }, "bob", world.runtime.people);
    await expect(late).rejects.toMatchObject({ code: "STALE", message: expect.stringContaining("m1.0~2") });
    expect(effects(world.oracle)).toHaveLength(2);
    await decideOutcome(
      runId,
      "m1.0~2",
      { verdict: "happened", output: "it did" },
      "bob",
      world.runtime.people,
    );
    await world.seen(runId, "RUN_COMPLETED");
    expect(effects(world.oracle)).toHaveLength(2);
  },
);

async function waitForDrive(drives: ReadonlyMap<string, unknown>, runId: string): Promise<void> {
  while (!drives.has(runId)) await new Promise((resolve) => setImmediate(resolve));
}
