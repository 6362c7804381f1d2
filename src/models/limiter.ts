// One gate per provider, shared by all runs of this process, so that ten children do not multiply a rate limit.
//  1  When a provider said "wait until T", nobody calls it before T.
//  2  From T on callers go one at a time, a second apart, until one of them has succeeded: else all who waited would
//     arrive together and be refused together.
//  3  A call that was under way before the refusal and succeeds before T opens nothing.

import type { Clock } from "../clock.ts";
import { providerOf } from "./names.ts";

export interface Limiter {
  /** When to ask again; undefined: call now (while a provider recovers, this takes the next turn). */
  notBefore(model: string): number | undefined;
  failed(model: string, retryAt: number): void;
  succeeded(model: string): void;
}

const SECOND = 1_000;

export function createLimiter(clock: Clock): Limiter {
  const gates = new Map<string, { closedUntil: number; nextTurn: number }>();
  return {
    notBefore(model) {
      const gate = gates.get(providerOf(model));
      if (gate === undefined) return undefined;
      const now = clock.now();
      if (now < gate.nextTurn) return gate.nextTurn;
      gate.nextTurn = now + SECOND;
      return undefined;
    },
    failed(model, retryAt) {
      const provider = providerOf(model);
      const gate = gates.get(provider);
      const closedUntil = Math.max(retryAt, gate?.closedUntil ?? 0);
      gates.set(provider, { closedUntil, nextTurn: Math.max(closedUntil, gate?.nextTurn ?? 0) });
    },
    succeeded(model) {
      const provider = providerOf(model);
      const gate = gates.get(provider);
      if (gate !== undefined && clock.now() >= gate.closedUntil) gates.delete(provider);
    },
  };
}
