// One gate per provider, shared by all runs of this process. It keeps ten children from running into the same rate limit.
//  1  When a provider says "wait until T", no run calls it before T.
//  2  From T on, calls start one second apart until a call succeeds.
//     Otherwise all waiting calls would be sent together and refused together.
//  3  A call might have been sent before the provider asked to wait. If such a call succeeds, the gate stays closed.

import type { Clock } from "../clock.ts";
import { providerOf } from "./model.ts";

export interface Limiter {
  /** The time at which this run may try again. Undefined if it may call now. While a provider recovers, each run gets another time. */
  notBefore(model: string, runId: string): number | undefined;
  failed(model: string, retryAt: number): void;
  succeeded(model: string): void;
}

const SECOND = 1_000;

interface Gate {
  closedUntil: number;
  /** The earliest time that no run has been given yet. */
  nextTurn: number;
  /** The time that each waiting run was given. */
  turns: Map<string, number>;
}

export function createLimiter(clock: Clock): Limiter {
  const gates = new Map<string, Gate>();
  return {
    notBefore(model, runId) {
      const gate = gates.get(providerOf(model));
      if (gate === undefined) return undefined;
      const now = clock.now();
      const turn = gate.turns.get(runId) ?? Math.max(now, gate.nextTurn);
      if (!gate.turns.has(runId)) gate.nextTurn = turn + SECOND;
      gate.turns.set(runId, turn);
      if (now < turn) return turn;
      gate.turns.delete(runId);
      return undefined;
    },
    failed(model, retryAt) {
      const provider = providerOf(model);
      const gate = gates.get(provider);
      const closedUntil = Math.max(retryAt, gate?.closedUntil ?? 0);
      const isLonger = closedUntil !== gate?.closedUntil;
      // The times given before the new limit are useless, so all waiting runs ask again.
      if (isLonger) gates.set(provider, { closedUntil, nextTurn: closedUntil, turns: new Map() });
    },
    succeeded(model) {
      const provider = providerOf(model);
      const gate = gates.get(provider);
      if (gate !== undefined && clock.now() >= gate.closedUntil) gates.delete(provider);
    },
  };
}
