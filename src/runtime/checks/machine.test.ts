import { expect, test } from "vitest";
import { clockCheck, spaceCheck, versionCheck } from "./machine.ts";

test("[U55] [F35] doctor's checks say what is wrong and how to fix it", () => {
  expect(versionCheck("SQLite", "3.51.3", [3, 51, 3], "fix")).toMatchObject({ state: "ok" });
  expect(versionCheck("SQLite", "3.52.0", [3, 51, 3], "fix")).toMatchObject({ state: "ok" });
  expect(versionCheck("SQLite", "3.50.9", [3, 51, 3], "fix")).toMatchObject({ state: "bad", fix: "fix" });
  expect(spaceCheck(50).state).toBe("bad");
  expect(spaceCheck(500).state).toBe("warn");
  expect(spaceCheck(50_000).state).toBe("ok");
  expect(clockCheck(0)).toMatchObject({ state: "bad", fix: expect.stringContaining("set the clock") });
});
