// Kills the process while a background command runs. The command starts only once, the agent learns how it ended, and its folder is removed.

import { globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { LeftBehind } from "./left-behind.ts";
import { inPool, lines, runUndisturbed, surviveKills } from "./lives.ts";

const RUNNING = /^Cadre was restarted\. The background command m1\.0 \(.*\) is still running\./;
const STOPPED = /^Cadre was restarted\. The background command m1\.0 \(.*\) was ended after .*: stopped\./;
const FAILED = /^Cadre was restarted\. The background command m1\.0 \(.*\) has ended with exit code 7 /;

/** The test kills the process when it passes the boundary for the nth time. `note` is what the agent then reads about the command. */
const KILLS: [boundary: string, nth: number, note?: RegExp][] = [
  ["before append TOOL_STARTED", 1],
  ["after append TOOL_STARTED", 1],
  ["before append TOOL_RESULT", 1],
  ["after append TOOL_RESULT", 1, RUNNING],
  ["after append TOOL_STARTED", 2, RUNNING],
  ["before append TOOL_RESULT", 3, STOPPED],
  ["after append TOOL_RESULT", 3],
];

const { left } = await runUndisturbed("background");

it("[25.12] [P4] [BG2] [BG4] after a kill around a background command, it has started only once, the agent knows its state, and its folder is removed", async () => {
  expect(left.runs[0]!.read).toMatchObject([
    expect.stringContaining("[background command m1.0 is still running"),
    expect.stringContaining("is still running"),
    expect.stringContaining("stopped"),
    "Received.",
  ]);
  await inPool(
    KILLS.map(([name, nth, note]) => () => {
      const check = (end: LeftBehind, folder: string) => {
        expectOneStart(end, folder, note);
        expect(end.runs[0]!.read.slice(1), "it was running, and is stopped").toEqual([
          expect.stringContaining("is still running"),
          expect.stringContaining("stopped"),
          "Received.",
        ]);
      };
      return surviveKills("background", [`${name}#${nth}`], check);
    }),
  );
}, 300_000);

it("[25.12] [BG4] if a command ended while no Cadre process was running, the agent gets its exit code", async () => {
  const letItEnd = async (folder: string) => {
    writeFileSync(join(folder, "go"), "");
    await expect
      .poll(() => globSync(".cadre/commands/*/m1.0/end.json", { cwd: folder }), { timeout: 30_000 })
      .toHaveLength(1);
  };
  const check = (end: LeftBehind, folder: string) => {
    expectOneStart(end, folder, FAILED);
    expect(end.runs[0]!.read[1]).toContain("has ended with exit code 7");
  };
  await surviveKills("background", ["after append TOOL_RESULT#1"], check, letItEnd);
}, 120_000);

function expectOneStart({ runs }: LeftBehind, folder: string, note: RegExp | undefined): void {
  expect(lines(join(folder, "ran.log")), "the command was started once").toEqual(["ran"]);
  expect(runs).toMatchObject([{ status: "completed", summary: "Served." }]);
  expect(runs[0]!.heard).toEqual(note ? [expect.stringMatching(note)] : []);
  expect(globSync(".cadre/commands/*", { cwd: folder }), "nothing is left of it").toEqual([]);
}
