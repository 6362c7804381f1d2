// A store that a test can kill in the middle of its work, as a SIGKILL would, and whose appends a test can look at, hold
// or fail. After its death nothing more reaches the disk, whoever still tries.

import type { Append, AppendResult, Store } from "../../src/stores/store.ts";

/** Stands before every append. Hands it on with `send`, at once or later, or throws in its place. */
export type Intercept = (append: Append, send: () => Promise<AppendResult>) => Promise<AppendResult>;

export interface MortalStore {
  store: Store;
  /** What is not on disk yet is lost. */
  die(): void;
  /** Resolves when it has died. */
  dead: Promise<void>;
}

export function mortalStore(
  real: Store,
  intercept: Intercept = async (_, send) => await send(),
): MortalStore {
  const death = Promise.withResolvers<void>();
  let alive = true;
  const guarded =
    (call: (...given: unknown[]) => unknown) =>
    (...given: unknown[]) =>
      alive ? call.apply(real, given) : Promise.reject(new Error("The process is dead."));
  const store = new Proxy(real, {
    get(target, name) {
      if (name === "append") {
        const send = guarded(target.append as never) as Store["append"];
        return (append: Append) => intercept(append, () => send(append));
      }
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== "function" || name === "onCommit" || name === "close")
        return typeof value === "function" ? value.bind(target) : value;
      return guarded(value as never);
    },
  });
  const die = (): void => {
    if (!alive) return;
    alive = false;
    void real.close();
    death.resolve();
  };
  return { store, die, dead: death.promise };
}
