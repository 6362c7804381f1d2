// A store that a test can kill at any point of its work, as SIGKILL would. A test can also inspect, delay or fail its appends.
// After the store is dead, nothing more reaches the disk.

import type { Append, AppendResult, Store } from "../../src/stores/store.ts";

/** Called for every append. The function calls `send` now or later to perform the append, or throws an error. */
export type Intercept = (append: Append, send: () => Promise<AppendResult>) => Promise<AppendResult>;

export interface MortalStore {
  store: Store;
  /** Kills the store. Writes that are not on disk yet are lost. */
  die(): void;
  /** Resolves when the store has died. */
  dead: Promise<void>;
}

export function mortalStore(
  real: Store,
  intercept: Intercept = async (_, send) => await send(),
): MortalStore {
  const death = Promise.withResolvers<void>();
  let alive = true;
  const refuseIfDead = <Group extends object>(group: Group): Group =>
    new Proxy(group, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== "function" || name === "onCommit") return value;
        return (...given: unknown[]) =>
          alive ? value.apply(target, given) : Promise.reject(new Error("The process is dead."));
      },
    });
  const journal = refuseIfDead(real.journal);
  const store: Store = {
    id: real.id,
    clock: real.clock,
    runs: refuseIfDead(real.runs),
    journal: { ...journal, append: (append) => intercept(append, () => journal.append(append)) },
    leases: refuseIfDead(real.leases),
    inbox: refuseIfDead(real.inbox),
    blobs: refuseIfDead(real.blobs),
    usage: refuseIfDead(real.usage),
    transfers: refuseIfDead(real.transfers),
    users: real.users,
    outbox: real.outbox,
    triggers: refuseIfDead(real.triggers),
    close: () => real.close(),
  };
  const die = (): void => {
    if (!alive) return;
    alive = false;
    void real.close();
    death.resolve();
  };
  return { store, die, dead: death.promise };
}
