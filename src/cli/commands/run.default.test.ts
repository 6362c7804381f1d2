// Tests which agent gets a task, or the first message of a conversation, for which the person named no agent.

import { expect, test } from "vitest";
import { agent, project } from "../cli.fixture.ts";

const starts = async (files: Record<string, string>): Promise<unknown> => {
  await using p = await project(files);
  const { lines } = await p.cadre("run", "--rehearse", "--json", "look around");
  return (lines()[0]!["payload"] as { agent: string }).agent;
};

const own = (name: string): string => `---\nname: ${name}\ndescription: Works.\n---\nWork.\n`;
const CLAUDE = { ".claude/agents/reviewer.md": "---\nname: reviewer\ndescription: Reviews.\n---\nReview.\n" };

test("[26] without a name, the project's only agent or its orchestrator starts, else the assistant; helpers of other products are not chosen", async () => {
  expect(await starts(CLAUDE)).toBe("assistant");
  expect(await starts({ ...CLAUDE, "agents/tidy.md": own("tidy") })).toBe("tidy");
  const two = { "agents/ops/coding.md": own("coding"), "agents/a.md": own("a") };
  expect(await starts(two)).toBe("assistant");
  const pack = { ...two, "agents/ops/orchestrator.md": own("orchestrator") };
  expect(await starts(pack)).toBe("ops/orchestrator");
});

test("[26.1] a conversation says at its beginning which agent answers", async () => {
  await using p = await project({ "agents/tidy.md": agent("tidy") });
  const terminal = p.terminal("chat");
  await terminal.sees(/^tidy · preset ask · /m);
  terminal.type("/exit\r");
  expect(await terminal.code).toBe(0);
});
