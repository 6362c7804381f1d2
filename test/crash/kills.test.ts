// A small slice of the kill loop (`test/storms/kill-main.ts`): a process is killed at random times while it drives trees.

import { expect, it } from "vitest";
import { killLoop } from "../storms/kill-loop.ts";

it("[P4] [P9] [E5] [36.1] [36.10] after kills at random times, every tree ends, nothing is quarantined, and no command is repeated without a reason", async () => {
  const report = await killLoop({
    poison: false,
    kills: 3,
    seed: 36,
    life: [500, 1_500],
    treesPerLife: 3,
    within: 60_000,
  });
  expect(report).toMatchObject({ kills: 3, quarantined: [], repeated: 0, ended: report.runs });
}, 240_000);
