// Kills the process at the boundaries of a fork. A fork is never incomplete, no effect is repeated, and the original run stays unchanged.

import { expect, it } from "vitest";
import { inPool, liveThrough, undisturbed } from "./lives.ts";

/** By default, the test kills at every 5th boundary, and at the boundaries around the event that creates the fork. */
const STRIDE = process.env["CRASH_ALL"] === undefined ? 5 : 1;

it("[FK6] after a kill, the fork is either complete or absent, and it continues without repeating an effect", async () => {
  const fork = await undisturbed("fork");
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
