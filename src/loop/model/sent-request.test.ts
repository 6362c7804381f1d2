// The request that the page shows for a recorded call is compared with the request that the model got.

import { expect } from "vitest";
import {
  charge,
  delegate,
  look,
  roles,
  scenario,
  turns,
  watchCalls,
} from "../../../test/support/scenario.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { sentRequest } from "./sent-request.ts";

const script = roles({
  tester: turns(
    { text: "First I look.", calls: [look("orders"), charge("a card")] },
    { calls: [delegate("helper")] },
    { report: { summary: "Done." } },
  ),
  helper: turns({ calls: [look("more")] }, { report: { summary: "Helped." } }),
});
const TREE = { agent: "tools: [look, charge]\nagents: [helper]", cast: { helper: "tools: [look]" }, script };
const ALLOW = "permissions: { allow: [look, charge] }";

const callsIn = (events: readonly JournalEvent[]): number[] =>
  events.filter(({ type }) => type === "MODEL_CALL_STARTED").map(({ seq }) => seq);

scenario(
  "[29.4] every recorded call shows the system prompt, the tools and the messages that its model got",
  { ...TREE, config: ALLOW, idle: true },
  async (world) => {
    const { all } = watchCalls(world, script);
    const runId = await world.run("charge the card");
    await world.runtime.start();
    await world.seen(runId, "RUN_COMPLETED");
    const events = await world.runtime.store.journal.readAll(0, 1_000, { root: runId });
    const begun = events.filter(({ type }) => type === "MODEL_CALL_STARTED");
    expect(all).toHaveLength(5);
    for (const [index, { runId: of, seq }] of begun.entries()) {
      const { prompt, tools = [], toolChoice } = all[index]!;
      const [system, ...messages] = prompt;
      const shown = await sentRequest(of, seq, world.runtime.parts);
      expect(shown.system).toBe(system!.content);
      expect(shown.messages).toEqual(messages);
      expect(shown.tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
      expect(shown.toolChoice).toBe(toolChoice?.type);
      expect(shown).toMatchObject({ seq, model: "scripted/test", purpose: "turn", attempt: 1 });
    }
    // The outcome of a call leads to the same request.
    const [first] = callsIn(await world.events(runId));
    const thought = await world.seen(runId, "AGENT_THOUGHT");
    expect((await sentRequest(runId, thought.seq, world.runtime.parts)).seq).toBe(first);
    await expect(sentRequest(runId, 1, world.runtime.parts)).rejects.toMatchObject({ code: "NOT_FOUND" });
  },
);

scenario(
  "[29.4] the fingerprint in the journal shows whether the request is exactly what was sent",
  { ...TREE, config: ALLOW, model: "ollama/test", idle: true },
  async (world) => {
    watchCalls(world, script);
    const runId = await world.run("charge the card");
    await world.runtime.start();
    await world.seen(runId, "RUN_COMPLETED");
    const calls = callsIn(await world.events(runId));
    expect(calls).toHaveLength(3);
    for (const seq of calls) expect((await sentRequest(runId, seq, world.runtime.parts)).differs).toEqual([]);
    // A tool is no longer there, as if a server had changed its list.
    const { parts } = world.runtime;
    const tools = new Map([...parts.tools].filter(([name]) => name !== "charge"));
    expect((await sentRequest(runId, calls[1]!, { ...parts, tools })).differs).toEqual(["tools"]);
  },
);
