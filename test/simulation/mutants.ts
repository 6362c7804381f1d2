// Deliberate breakages of the engine, put in at run time: each takes away one thing that a promise rests on. If the
// simulation does not see one of them, it is the simulation that is broken (FAULTS §1, 7).

import type { EventBody } from "../../src/journal/events.ts";
import { OUTCOME_TYPES } from "../../src/journal/events.ts";
import { keyOf } from "../../src/journal/keys.ts";
import { overrideStore } from "../../src/stores/override-store.ts";
import type { Append, Store, Writer } from "../../src/stores/store.ts";
import { withAppend } from "./breaking.ts";
import type { Findable, Surroundings } from "./surroundings.ts";

export const MUTANTS: readonly Findable[] = [
  { name: "an intent is written after its effect", found: /^L3 /, store: intentAfterEffect },
  {
    name: "an outcome is acknowledged before it is committed",
    found: /^I1 /,
    from: 42,
    store: acknowledgedEarly,
  },
  { name: "keys are ignored: whatever is written twice stands there twice", found: /^J1 /, store: keyless },
  {
    name: "an unsafe call is recovered like a read",
    found: /^I4 /,
    from: 289,
    tools: (tools) => tools.map((tool) => (tool.name === "charge" ? { ...tool, effect: "read" } : tool)),
  },
  {
    name: "signals are not looked at: a cancel does not win",
    found: /^I7 /,
    store: (store) => without(store, "guard"),
  },
  { name: "what is spent is not looked at", found: /^I9 /, store: (store) => without(store, "reserve") },
  {
    name: "a worker's own deadline is not looked at",
    found: /^(E2|I4) /,
    parts: (parts) => ({ ...parts, mayBegin: () => true }),
  },
  {
    name: "what was approved is not what runs",
    found: /^I8 /,
    tools: (tools) =>
      tools.map((tool) => ({
        ...tool,
        execute: (input, context) => tool.execute({ what: `${(input as { what: string }).what}!` }, context),
      })),
  },
];

/** The newest lease of each run that was ever handed out, by whichever store of a simulation. */
const newest = new WeakMap<Surroundings, Map<string, Writer>>();

/** Only for a driver that has lost its run: everybody else meets the store as it is. */
export function unfenced(store: Store, world: Surroundings): Store {
  const leases = newest.get(world) ?? new Map<string, Writer>();
  newest.set(world, leases);
  return overrideStore(store, {
    leases: {
      async acquire(runId, worker) {
        const lease = await store.leases.acquire(runId, worker);
        if (lease && lease.epoch > (leases.get(runId)?.epoch ?? 0))
          leases.set(runId, { worker, epoch: lease.epoch });
        if (!lease) return undefined;
        // As from a store that hands no journal over with a lease: the time of reading it is the time to be overtaken.
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

/** Keeps the intents of tools back until the next thing is written. */
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

/** Says that outcomes are on disk, and only then begins to write them. With one worker nobody refuses them: only a crash
 * or a full disk can lose what was acknowledged. */
function acknowledgedEarly(store: Store, { options }: Surroundings): Store {
  if (options.workers !== "one") return store;
  return withAppend(store, (append) => {
    const written = store.journal.append(append);
    if (append.guard || append.rest || !append.events.every(({ type }) => OUTCOME_TYPES.has(type)))
      return written;
    written.catch(() => {});
    return Promise.resolve({ events: [] });
  });
}

/** Every event gets a key of its own, so that none is ever known again; outcomes are taken from anybody. */
function keyless(store: Store): Store {
  const fresh = (event: EventBody): EventBody => ({ ...event, key: `${keyOf(event)}#${count++}` });
  return withAppend(store, ({ writer, ...append }) => {
    const events = append.events.map(fresh);
    const outcomes = append.events.length > 0 && append.events.every(({ type }) => OUTCOME_TYPES.has(type));
    return store.journal.append({ ...append, events, ...(writer && !outcomes ? { writer } : {}) });
  });
}

let count = 0;

function without(store: Store, field: "guard" | "reserve"): Store {
  return withAppend(store, (append) => {
    const { [field]: _, ...rest } = append;
    return store.journal.append(rest);
  });
}
