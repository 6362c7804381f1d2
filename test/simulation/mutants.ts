// Mutants are deliberate defects of the engine that are installed at run time. Each mutant removes one safeguard.
// If the simulation does not find a mutant, the simulation itself is broken (FAULTS §1, 7).

import { type EventBody, keyOf, OUTCOME_TYPES } from "../../src/journal/events.ts";
import type { CallRecords } from "../../src/loop/parts.ts";
import { overrideStore } from "../../src/stores/override-store.ts";
import { type Append, type Store, SUSPECT_AFTER, type Writer } from "../../src/stores/store.ts";
import { withAppend } from "./breaking.ts";
import type { Findable, Surroundings } from "./surroundings.ts";

export const MUTANTS: readonly Findable[] = [
  { name: "an intent is written after its effect", found: /^L3 /, store: intentAfterEffect },
  {
    name: "an outcome is acknowledged before it is committed",
    found: /^I1 /,
    from: 42,
    store: acknowledgeEarly,
  },
  {
    name: "event keys are ignored, so that an event written twice is stored twice",
    found: /^J1 /,
    store: keyless,
  },
  {
    name: "an interrupted unsafe call is repeated as if it were a read",
    found: /^I4 /,
    from: 289,
    tools: (tools) => tools.map((tool) => (tool.name === "charge" ? { ...tool, effect: "read" } : tool)),
  },
  {
    name: "a command counts as not begun after a crash, although it had begun",
    found: /^I4 /,
    from: 494,
    tools: (tools) => tools.map((tool) => (tool.name === "charge" ? { ...tool, notes: true } : tool)),
    parts: (parts) => ({ ...parts, callRecords: FORGETFUL }),
  },
  {
    name: "a command counts as ended after a crash, although it had not begun",
    found: /^I4 .* it was not$/,
    from: 151,
    parts: (parts) => ({
      ...parts,
      ...(parts.callRecords ? { callRecords: boastful(parts.callRecords) } : {}),
    }),
  },
  {
    name: "the driver ignores signals, so that a cancel has no effect",
    found: /^I7 /,
    store: (store) => withoutField(store, "guard"),
  },
  {
    name: "no budget is reserved for a model call",
    found: /^I9 /,
    store: (store) => withoutField(store, "reserve"),
  },
  {
    name: "a run is quarantined after three deaths, although it was never driven alone",
    found: /^E5 quarantined /,
    store: blamesEverybody,
  },
  {
    name: "a worker ignores its own deadline",
    found: /^(E2|I4) /,
    parts: (parts) => ({ ...parts, mayBegin: () => true }),
  },
  {
    name: "a call runs with a different input than the approved input",
    found: /^I8 /,
    tools: (tools) =>
      tools.map((tool) => ({
        ...tool,
        execute: (input, context) => tool.execute({ what: `${(input as { what: string }).what}!` }, context),
      })),
  },
];

/** Call notes that record nothing: every call looks as if it had not begun. */
const FORGETFUL: CallRecords = {
  id: "notes",
  begin: async () => {},
  end: () => {},
  find: async () => "not begun",
  forget: async () => {},
};

/** Call notes that report every call as ended. */
const boastful = (records: CallRecords): CallRecords => ({
  ...records,
  find: async (key) => ({ output: `${key}: done` }),
});

/** The newest lease of each run, across all stores of a simulation. */
const newest = new WeakMap<Surroundings, Map<string, Writer>>();

/** Lets a driver write to a run even after another driver has taken it over. */
export function withoutFencing(store: Store, world: Surroundings): Store {
  const leases = newest.get(world) ?? new Map<string, Writer>();
  newest.set(world, leases);
  return overrideStore(store, {
    leases: {
      async acquire(runId, worker) {
        const lease = await store.leases.acquire(runId, worker);
        if (lease && lease.epoch > (leases.get(runId)?.epoch ?? 0))
          leases.set(runId, { worker, epoch: lease.epoch });
        if (!lease) return undefined;
        // Returns the lease without the journal. The driver then reads the journal separately, and another driver can take the run in between.
        const { events: _, ...bare } = lease;
        return bare;
      },
    },
    journal: {
      append(append) {
        const holder = leases.get(append.runId);
        if (!append.writer || !holder || holder.epoch <= append.writer.epoch)
          return store.journal.append(append);
        const { guard: _, ...unguarded } = append;
        return store.journal.append({ ...unguarded, writer: holder });
      },
    },
  });
}

/** Makes every suspect look like a run that ended three processes while it was driven alone. */
function blamesEverybody(store: Store): Store {
  return overrideStore(store, {
    leases: {
      async acquire(runId, ...how) {
        const lease = await store.leases.acquire(runId, ...how);
        return lease && lease.acquisitions > SUSPECT_AFTER
          ? { ...lease, acquisitions: SUSPECT_AFTER + 4 }
          : lease;
      },
    },
  });
}

/** Writes the intent of a tool call too late, together with the run's next append. */
function intentAfterEffect(store: Store): Store {
  const kept = new Map<string, Append>();
  return withAppend(store, async (append) => {
    if (append.events.some(({ type }) => type === "TOOL_STARTED")) {
      kept.set(append.runId, append);
      return { events: [] };
    }
    const intent = kept.get(append.runId);
    kept.delete(append.runId);
    if (!intent) return store.journal.append(append);
    const [first, second] = await Promise.all([store.journal.append(intent), store.journal.append(append)]);
    const known = new Set(first.events.map(({ seq }) => seq));
    return { ...second, events: [...first.events, ...second.events.filter(({ seq }) => !known.has(seq))] };
  });
}

/** Acknowledges outcomes before they are written. This mutant changes only simulations with a single worker.
 * With only one worker, the store never refuses an outcome, so an acknowledged outcome can be lost only by a crash or a full disk. */
function acknowledgeEarly(store: Store, { options }: Surroundings): Store {
  if (options.workers !== "one") return store;
  return withAppend(store, (append) => {
    const written = store.journal.append(append);
    if (append.guard || append.rest || !append.events.every(({ type }) => OUTCOME_TYPES.has(type)))
      return written;
    written.catch(() => {});
    return Promise.resolve({ events: [] });
  });
}

/** Gives every event a unique key, so that the store recognises no repetition. Also accepts outcomes from any worker. */
function keyless(store: Store): Store {
  const fresh = (event: EventBody): EventBody => ({ ...event, key: `${keyOf(event)}#${count++}` });
  return withAppend(store, ({ writer, ...append }) => {
    const events = append.events.map(fresh);
    const outcomes = append.events.length > 0 && append.events.every(({ type }) => OUTCOME_TYPES.has(type));
    return store.journal.append({ ...append, events, ...(writer && !outcomes ? { writer } : {}) });
  });
}

let count = 0;

function withoutField(store: Store, field: "guard" | "reserve"): Store {
  return withAppend(store, (append) => {
    const { [field]: _, ...rest } = append;
    return store.journal.append(rest);
  });
}
