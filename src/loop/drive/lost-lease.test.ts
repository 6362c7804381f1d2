import { expect } from "vitest";
import { look, payloadsOf, scenario, turns } from "../../../test/support/scenario.ts";
import type { WorldOptions } from "../../../test/support/world.ts";
import type { Append, Store } from "../../stores/store.ts";

const answers = ({ events }: Append): boolean => events.some(({ type }) => type === "TOOL_RESULT");

/** A worker freezes in the middle of a read. When it records the result, another worker has already recorded one. */
function overtakenWorker(): {
  options: WorldOptions;
  told: string[];
  attach(store: Store, worker: string): void;
} {
  const told: string[] = [];
  let other: ((append: Append) => Promise<void>) | undefined;
  return {
    told,
    options: {
      idle: true,
      script: turns({ calls: [look("a")] }, (seen) => ({ text: seen })),
      onProblem: ({ message }) => told.push(message),
      async intercept(append, send) {
        const answered = answers(append) ? other : undefined;
        other = answered ? undefined : other;
        await answered?.(append);
        return send();
      },
    },
    attach(store, worker) {
      other = async ({ runId, events, after }) => {
        const lease = await store.leases.acquire(runId, "other", { workers: [worker] });
        const mine = events.map((event) =>
          event.type === "TOOL_RESULT"
            ? { ...event, payload: { ...event.payload, output: "theirs" } }
            : event,
        );
        expect(
          (await store.journal.append({ runId, writer: lease!, after, events: mine })).refused,
        ).toBeUndefined();
        await store.leases.release(runId, lease!);
      };
    },
  };
}

const { options, told, attach } = overtakenWorker();
scenario("[L4] [F33] an answer that another worker recorded first is no error", options, async (world) => {
  const { store, parts } = world.runtime;
  attach(store, parts.worker);
  const runId = await world.run("look");
  expect((await world.drive(runId)).end).toBeUndefined();
  expect(told).toEqual([]);
  expect((await world.drive(runId)).end?.summary).toBe("theirs");
  expect(payloadsOf(await world.events(runId), "TOOL_RESULT")).toHaveLength(1);
});
