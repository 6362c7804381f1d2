// A short night (`npm run night` plays a whole one): a crew works while its provider is away twice and its process is killed three times.

import { expect, it } from "vitest";
import { night } from "../storms/night.ts";

it("[26] [P1] [P4] after a night with two outages and three kills, everything but the open approval is done, and nothing was repeated", async () => {
  const report = await night({
    trees: 10,
    awayMs: 1_000,
    killsAt: [0.1, 0.4, 0.7],
    outagesAt: [0.2, 0.5],
    within: 180_000,
  });
  expect(report).toMatchObject({
    roots: { completed: 9 },
    open: ["tool of worker"],
    kills: 3,
    missing: [],
    repeated: [],
  });
  expect(report.refused).toBeGreaterThan(0);
}, 240_000);
