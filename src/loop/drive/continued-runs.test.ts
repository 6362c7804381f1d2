import { expect } from "vitest";
import { payloadsOf, roles, scenario } from "../../../test/support/scenario.ts";
import { eventsBefore } from "./run-journal.ts";

scenario(
  "a chain of hundreds of runs that continue each other works, because a session has no end",
  { script: roles({}), idle: true },
  async (world) => {
    const { store, parts } = world.runtime;
    const first = await world.run("m0");
    const start = payloadsOf(await world.events(first), "RUN_STARTED")[0]!;
    const chain = [first];
    for (let number = 1; number <= 300; number++) {
      const before = chain.at(-1)!;
      const runId = parts.ids.runId(parts.clock.now());
      const continues = { runId: before, ...(await store.journal.head(before))! };
      await store.runs.start(runId, { ...start, task: `m${number}`, rootRunId: runId, continues });
      chain.push(runId);
    }
    const [last] = payloadsOf(await world.events(chain.at(-1)!), "RUN_STARTED");
    const events = await eventsBefore(store, last!);
    expect(payloadsOf(events, "RUN_STARTED").map(({ task }) => task)).toEqual(
      Array.from({ length: 300 }, (_, number) => `m${number}`),
    );
  },
);
