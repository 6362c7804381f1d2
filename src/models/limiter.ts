// One gate per provider, shared by all runs of this process. It keeps ten children from running into the same rate limit.
//  1  When a provider says "wait until T", no run calls it before T.
//  2  From T on, calls start one second apart until a call succeeds.
//     Otherwise all waiting calls would be sent together and refused together.
//  3  If a call that was sent before the limit succeeds, the gate stays closed.

import type { Clock } from "../clock.ts";
import { providerOf } from "./model.ts";

export interface Limiter {
  /** When to try again. Undefined means that the call can be made now. While a provider recovers, each caller gets its own time. */
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
