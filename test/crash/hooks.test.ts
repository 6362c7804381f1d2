// Kills the process around the hooks of a run. No hook runs twice, no call passes without its hook or a person, and the run ends as it would without the kill.

import { expect, it } from "vitest";
import { inPool, liveThrough, runUndisturbed } from "./lives.ts";

it("[HK2] [HK3] after a kill around a hook, the hook does not run again, and the run ends as it would without the kill", async () => {
  const hooks = await runUndisturbed("hooks");
  expect(hooks.left.runs).toMatchObject([
    { status: "completed", decisions: ["m2.0: approve by person"], heard: [] },
  ]);
  const kills = hooks.boundaries.flatMap((boundary, index) =>
    boundary.includes("HOOKS_") ? [index + 1] : [],
  );
  expect(kills.length).toBeGreaterThanOrEqual(12);
  await inPool(kills.map((at) => () => liveThrough(hooks, at)));
}, 600_000);
