// Kills the process at the boundaries of a fork. After each kill, the fork is complete or absent, and the original run is unchanged.

import { expect, it } from "vitest";
import { inPool, liveThrough, runUndisturbed } from "./lives.ts";

/** The test kills the process at every 5th boundary by default, and always at the boundaries around the event that creates the fork. */
const STRIDE = process.env["CRASH_ALL"] === undefined ? 5 : 1;

it("[FK6] after a kill, the fork is complete or absent; a complete fork continues without repeating an effect", async () => {
  const fork = await runUndisturbed("fork");
  const [origin, forked] = [fork.left.runs.find(({ path }) => path === "tester"), fork.left.runs[0]];
  expect(forked).toMatchObject({
    path: "fork of tester",
    status: "completed",
    read: origin!.read,
    decisions: [],
  });
  expect(fork.left.done, "the fork repeats no effect").toEqual([
    "tester: charge card 1",
    "tester: stamp receipt",
  ]);

  const begun = fork.boundaries.findLastIndex((boundary) => boundary.endsWith("before start"));
  expect(begun).toBeGreaterThan(10);
  const own = fork.boundaries.slice(begun).map((_, index) => begun + index + 1);
  const kills = own.filter((_, index) => index < 2 || index % STRIDE === 0);
  await inPool(kills.map((at) => () => liveThrough(fork, at)));
}, 600_000);
