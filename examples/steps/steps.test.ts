// The example, as its README says to run it.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const play = (...args: string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, "run.ts"), ...args], { encoding: "utf8" });

test("[S1-35] the example checks itself", () => {
  const { status, stdout, stderr } = play();
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain("The tests pass after 2 attempts. (green)");
});

test("[S1-35] where the model is no help, a person is asked", () => {
  const { status, stdout } = play("--helpless");
  expect(stdout).toMatch(
    /asked: The tests still fail after 3 attempts.*\nThe tests fail\. A person takes over\. \(red\)/,
  );
  expect(status).toBe(0);
});
