import { existsSync, mkdtempSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { touchWhileAlive } from "./alive-file.ts";

let folder: string;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  folder = mkdtempSync(join(tmpdir(), "cadre-alive-"));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

test("the alive file is created immediately, and touched until the process stops", () => {
  const file = join(folder, "alive");
  const isOld = () => statSync(file).mtimeMs === 1_000_000;
  const end = touchWhileAlive(file);
  expect(existsSync(file)).toBe(true);
  for (const old of [false, true]) {
    utimesSync(file, 1_000, 1_000);
    if (old) end();
    vi.advanceTimersByTime(5_000);
    expect(isOld()).toBe(old);
  }
});

test("if no alive file is configured, none is written; a path that cannot be written is refused before anything starts", () => {
  touchWhileAlive(undefined)();
  expect(() => touchWhileAlive(join(folder, "none", "alive"))).toThrow(/CADRE_ALIVE_FILE cannot be written/);
});
