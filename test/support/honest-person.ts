// Plays a person who answers every open item truthfully. The log of real effects shows what happened.

import { decideApproval, decideOutcome } from "../../src/loop/commands/person-commands.ts";
import type { RuntimeAssembly } from "../../src/runtime/assembly.ts";
import { effects } from "./oracle.ts";

const DECISIONS = {
  question: { decision: "answer", answer: "Blue." },
  other: { decision: "approve" },
} as const;

export async function beThePerson({ store, people }: RuntimeAssembly, oracle: string): Promise<void> {
  for (const { runId, itemId, kind } of await store.inbox.openItems()) {
    try {
      if (kind === "outcome") {
        const callId = itemId.replace("outcome/", "");
        const happened = effects(oracle).some((effect) => effect.runId === runId && effect.callId === callId);
        const verdict = happened
          ? { verdict: "happened" as const, output: "charge card 1: done" }
          : { verdict: "run_again" as const };
        await decideOutcome(runId, callId, verdict, "person", people);
      } else {
        const decision = DECISIONS[kind === "question" ? "question" : "other"];
        await decideApproval(`${runId}:${itemId}`, decision, "person", people);
      }
    } catch {
      // Someone else has already answered the item. The next pass sees that answer.
    }
  }
}
