// Kills the process while the text of a skill is loaded. The run ends as it would without the kill, and the agent has read the text once.

import { expect, it } from "vitest";
import { inPool, liveThrough, runUndisturbed } from "./lives.ts";

it("[25.3] [P3] after a kill while a skill is loaded, its text is read once, and the run ends as it would without the kill", async () => {
  const skill = await runUndisturbed("skill");
  expect(skill.left.runs[0]!.read[0]).toContain("Charge each card once.");
  expect(skill.left.done).toEqual(["tester: charge card 1"]);
  const loaded = skill.boundaries.findIndex((line) => line.endsWith("after append TOOL_RESULT"));
  const kills = skill.boundaries.flatMap((line, index) =>
    index <= loaded + 1 && /TOOL_/.test(line) ? [index + 1] : [],
  );
  expect(kills.length).toBeGreaterThanOrEqual(6);
  await inPool(kills.map((at) => () => liveThrough(skill, at)));
}, 300_000);
