// Mutants that break trees of runs.
// Some mutants wrap the store, like the mutants of single runs. Other mutants replace functions in spied modules (see tree-mutants.test.ts).

import { vi } from "vitest";
import { type EventBody, TERMINAL_TYPES } from "../../src/journal/events.ts";
import { liveChildren } from "../../src/projections/folds/child-runs.ts";
import { blockedEvent, childCompletedEvent } from "../../src/projections/folds/parent-events.ts";
import { overrideStore } from "../../src/stores/override-store.ts";
import type { Append, Store } from "../../src/stores/store.ts";
import { leaveSlot } from "../../src/stores/transaction/slots.ts";
import { replace, withAppend, withSpawn } from "./breaking.ts";
import { withoutFencing } from "./mutants.ts";
import type { Findable } from "./surroundings.ts";

const real = await vi.importActual<typeof import("../../src/projections/folds/parent-events.ts")>(
  "../../src/projections/folds/parent-events.ts",
);

export const TREE_MUTANTS: readonly Findable[] = [
  // This mutant would also break single runs. It is tested with trees, because a tree has more runs that a driver can lose.
  {
    name: "a driver that has lost its run still writes to it",
    found: /^(P3|I4|I7) /,
    store: withoutFencing,
  },
  {
    name: "a child's end is not written into its parent's journal",
    found: /^P6 its parent was not told/,
    install: () => replace(childCompletedEvent, () => undefined),
  },
  {
    name: "a child's end is written into its parent's journal twice",
    found: /^(P6 told twice|J1) /,
    store: tellsTwice,
  },
  {
    name: "a child's spending is not counted",
    found: /^B1 /,
    store: (store) => withAppend(store, (append) => store.journal.append(withoutTree(append))),
  },
  {
    name: "waiting ancestors do not learn that a descendant needs a person",
    found: /^S0-61 /,
    install: () => replace(blockedEvent, () => undefined),
  },
  {
    name: "waiting ancestors do not learn that a person is no longer needed",
    found: /^S0-61 /,
    install: () =>
      replace(blockedEvent, (row, children) => {
        const event = real.blockedEvent(row, children);
        return event?.type === "RUN_RESUMED" ? undefined : event;
      }),
  },
  {
    name: "any number of runs can work at the same time",
    found: /^B4 /,
    from: 72,
    store: (store) =>
      withAppend(store, (append) => store.journal.append({ ...append, concurrent: Infinity })),
  },
  {
    name: "a resting run keeps its slot",
    found: /^(B4|I11) /,
    install: () => replace(leaveSlot, function* () {}),
  },
  { name: "two children are started for one call", found: /^D0 /, store: startsTwice },
  {
    name: "a child is admitted in one transaction and its parent's intent in another",
    found: /^J7 /,
    store: startsApart,
  },
  { name: "a cancel does not reach grandchildren", found: /^(P7|I7) /, store: cancelsNear },
  {
    name: "a run ends before its children",
    found: /^D2 ended before /,
    install: () => replace(liveChildren, () => []),
  },
  {
    name: "a child does not inherit the restrictions of the runs above it",
    found: /^P12 /,
    store: (store) => withSpawn(store, (spawn) => ({ ...spawn, start: { ...spawn.start, ancestors: [] } })),
  },
];

/** Writes the end of a child into the parent's journal a second time, with a different key. */
function tellsTwice(store: Store): Store {
  return withAppend(store, async (append) => {
    const answer = await store.journal.append(append);
    const ended = append.events.some(({ type }) => TERMINAL_TYPES.has(type));
    const parent = ended ? (await store.runs.get(append.runId))?.parentRunId : undefined;
    if (answer.refused || parent === undefined) return answer;
    const told = (await store.journal.read(parent)).findLast(({ type }) => type === "CHILD_RUN_COMPLETED");
    if (told) {
      const { type, payload, key } = told;
      await store.journal.append({
        runId: parent,
        after: 0,
        events: [{ type, payload, key: `${key}/2` } as EventBody],
      });
    }
    return answer;
  });
}

function withoutTree(append: Append): Append {
  const events = append.events.map((event) => {
    if (!TERMINAL_TYPES.has(event.type)) return event;
    const { tree: _, ...payload } = event.payload as { tree?: unknown };
    return { ...event, payload } as EventBody;
  });
  return { ...append, events };
}

function startsTwice(store: Store): Store {
  return withAppend(store, async (append) => {
    const answer = await store.journal.append(append);
    if (answer.refused || !append.spawn) return answer;
    const id = `${append.spawn.runId}x`;
    const events = append.events.flatMap((event) =>
      event.type === "CHILD_RUN_STARTED"
        ? [{ ...event, payload: { ...event.payload, child_run_id: id } }]
        : [],
    );
    await store.journal.append({ ...append, events, spawn: { ...append.spawn, runId: id } });
    return answer;
  });
}

function startsApart(store: Store): Store {
  return withAppend(store, async ({ spawn, ...append }) => {
    const answer = await store.journal.append(append);
    if (spawn && !answer.refused) await store.runs.start(spawn.runId, spawn.start);
    return answer;
  });
}

function cancelsNear(store: Store): Store {
  return overrideStore(store, {
    runs: {
      async cancel(runId, request) {
        const { runs } = await store.runs.list({ parent: runId });
        const reached = [runId, ...runs.filter(({ endedAt }) => endedAt === undefined).map(({ id }) => id)];
        for (const id of reached)
          await store.journal.append({
            runId: id,
            after: 0,
            events: [{ type: "CANCEL_REQUESTED", payload: request }],
          });
        return reached;
      },
    },
  });
}
