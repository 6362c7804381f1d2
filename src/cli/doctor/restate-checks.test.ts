import { expect } from "vitest";
import { startRestate, test } from "../../engines/restate/restate.fixture.ts";
import { restateChecks } from "./restate-checks.ts";

test("[U55] doctor says whether each port of Restate answers; for a silent port, it says what does not work", async () => {
  const { ingress, admin, kill, end } = await startRestate();
  const runChecks = (engine: "restate" | "pg-boss") =>
    restateChecks({
      engine,
      restate: { ingress, admin, listen: { host: "127.0.0.1", port: 9080 }, identity: [] },
    });
  try {
    expect(await runChecks("pg-boss")).toEqual([]);
    const text = `answers at ${ingress}, its admin port at ${admin}`;
    expect(await runChecks("restate")).toEqual([{ state: "ok", name: "Restate", text }]);
    await kill();
    expect(await runChecks("restate")).toMatchObject([
      {
        state: "warn",
        text: expect.stringMatching(
          /does not answer \(nothing is listening there\): runs continue without it/,
        ),
      },
      { state: "warn", text: expect.stringContaining("new workers are not registered with it") },
    ]);
  } finally {
    await end();
  }
}, 60_000);
