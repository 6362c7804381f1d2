import { expect, test } from "vitest";
import type { JournalEvent, Payload, PromptPrefix } from "../../journal/events.ts";
import { cacheLedger, describeBreak } from "./cache-ledger.ts";

let position = 0;
const usage = { input: 1_000, output: 10, cacheRead: 800, cacheWrite: 150 };

function journal(runId: string, ...prefixes: (Partial<PromptPrefix> | "compacted" | { model: string })[]) {
  const events: JournalEvent[] = [];
  const add = (type: JournalEvent["type"], payload: object): void => {
    const seq = events.length + 1;
    events.push({ runId, seq, position: ++position, ts: 0, type, key: `${seq}`, payload } as JournalEvent);
  };
  add("RUN_STARTED", { agent: "coder" } as Payload<"RUN_STARTED">);
  for (const each of prefixes) {
    if (each === "compacted") {
      add("CONTEXT_COMPACTED", {});
      continue;
    }
    const { model = "anthropic/x", ...part } = each as { model?: string } & Partial<PromptPrefix>;
    const prefix = { tools: "t", system: "s", messages: { count: 1, digest: "m" }, ...part };
    add("MODEL_CALL_STARTED", { callId: "m", model });
    add("AGENT_THOUGHT", { callId: "m", usage, prefix });
  }
  return events;
}

const breaks = (...journals: JournalEvent[][]): string[] =>
  cacheLedger(journals).calls.flatMap((call) => describeBreak(call) ?? []);

test("the ledger adds up the tokens that were read from the cache, written to it, or neither", () => {
  expect(cacheLedger([journal("r1", {}, {})])).toMatchObject({ read: 1_600, written: 300, uncached: 100 });
});

test.each([
  ["tools", "the tool list changed"],
  ["system", "the system prompt changed"],
  ["messages", "an earlier message changed"],
  ["files", "older files were left out to make room for later ones"],
] as const)("the ledger names a call whose %s changed, with the reason", (broke, reason) => {
  expect(breaks(journal("r1", {}, { broke }))).toEqual([
    `Event 5 of coder (r1) broke the prefix: ${reason}.`,
  ]);
});

test("the ledger names a summary and a change of model as reasons", () => {
  expect(breaks(journal("r1", {}, "compacted", { broke: "messages" }, { model: "openai/y" }))).toEqual([
    "Event 6 of coder (r1) broke the prefix: a long conversation was shortened.",
    "Event 8 of coder (r1) broke the prefix: another model was called.",
  ]);
});

test("the ledger names a run whose system prompt differs from that of an earlier run of the same agent", () => {
  expect(breaks(journal("r1", {}), journal("r2", { system: "other" }))).toEqual([
    "Event 3 of coder (r2) could not share the prefix of run r1: their system prompts differ.",
  ]);
  expect(breaks(journal("r3", {}), journal("r4", {}))).toEqual([]);
});
