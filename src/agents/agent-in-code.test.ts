import { expect, test } from "vitest";
import { makeWorld } from "../../test/support/world.ts";

test("an agent defined in code overrides a file with the same name, passes the same checks, and runs", async () => {
  const world = await makeWorld({
    script: ({ agent }) => ({ text: `by ${agent}` }),
    cast: { clerk: "tools: [Read]" },
    agents: [
      { name: "clerk", model: "scripted/test", prompt: "In code.", tools: ["Glob"] },
      { name: "boss", model: "scripted/test", prompt: "Lead.", agents: ["clerc"] },
    ],
  });
  try {
    const { agents, problems } = await world.runtime.agents();
    expect(agents.get("clerk")).toMatchObject({
      file: "code:clerk",
      definition: { prompt: "In code.", tools: { allow: ["Glob"] } },
    });
    expect(problems).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ file: "agents/clerk.md", code: "DUPLICATE_NAME" }),
        expect.objectContaining({ file: "code:boss", message: expect.stringContaining("clerc") }),
      ]),
    );
    const runId = await world.run("count", { agent: "clerk" });
    const { payload } = await world.seen(runId, "RUN_COMPLETED");
    expect(payload).toMatchObject({ summary: "by clerk" });
  } finally {
    await world.close();
  }
});
