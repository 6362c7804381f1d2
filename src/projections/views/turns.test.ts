import { expect, test } from "vitest";
import type { EventBody, WaitingOn } from "../../journal/events.ts";
import {
  agentThought,
  approvalDecided,
  buildJournal,
  childStarted,
  contextAdded,
  modelCallFailed,
  modelCallStarted,
  runEnded,
  runStarted,
  runSuspended,
  toolProposed,
  toolResult,
  toolStarted,
} from "../../stores/contract/kit.contract.ts";
import { fold } from "../projection.ts";
import { shownEventOf, type Turn, type TurnItem, type TurnList, turnsProjection } from "./turns.ts";

const turnsOf = (...bodies: EventBody[]): TurnList => fold(turnsProjection, buildJournal(...bodies));

let keys = 0;
const suspended = (waitingOn: WaitingOn): EventBody => runSuspended(`s${keys++}`, waitingOn);
const resumed = (by = "cadre"): EventBody => ({ type: "RUN_RESUMED", key: `r${keys++}`, payload: { by } });

const speaks = (callId: string, text: string, ...tools: [name: string, input: unknown][]): EventBody =>
  agentThought(callId, {
    content: [
      { type: "text", text },
      ...tools.map(([toolName, input], index) => ({
        type: "tool-call" as const,
        toolCallId: `call_${index}`,
        toolName,
        input,
      })),
    ],
  });

const titles = ({ items }: TurnList): string[] =>
  items.map((item: TurnItem) => {
    if (item.kind === "line") return item.entry.title;
    if (item.kind === "wait") return `${item.title} ×${item.count}`;
    if (item.kind === "child") return `${item.agent}: ${item.end?.success ?? "open"}`;
    return `${item.number ?? "-"} ${item.text} [${item.calls.map(({ words, state }) => `${words}=${state}`).join(", ")}]`;
  });

test("[29.1] a turn holds the agent's words and its calls, each with its outcome and duration", () => {
  const list = turnsOf(
    runStarted(),
    modelCallStarted("m1"),
    speaks("m1", "I look.", ["Read", { path: "a.ts" }], ["Bash", { command: "npm test" }]),
    toolProposed("m1.0", { verdict: "allow" }),
    toolStarted("m1.0"),
    toolResult("m1.0"),
    toolProposed("m1.1", { verdict: "ask" }),
    suspended({ kind: "approval", items: ["m1.1"] }),
    approvalDecided("m1.1", "reject", "ann", { note: "no" }),
    resumed(),
  );
  expect(titles(list)).toEqual(["Started: coder", "1 I look. [Read a.ts=ok, Run: npm test=said]"]);
  const [, turn] = list.items as [TurnItem, Turn];
  expect(turn.calls[1]?.decision).toMatchObject({ by: "ann", decision: "reject", note: "no" });
  expect(turn.calls[0]!.endedAt! - turn.calls[0]!.startedAt!).toBeGreaterThanOrEqual(0);
  // T8: every event leads to an item, and the events of a call lead to the call's latest event.
  expect([...list.itemOf.keys()]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  const journal = buildJournal(
    runStarted(),
    modelCallStarted("m1"),
    speaks("m1", "I look.", ["Read", { path: "a.ts" }]),
    toolProposed("m1.0", { verdict: "allow" }),
    toolStarted("m1.0"),
    toolResult("m1.0"),
  );
  const folded = fold(turnsProjection, journal);
  expect(journal.map((event) => shownEventOf(folded, event))).toEqual([1, 3, 3, 6, 6, 6]);
});

test("[29.1] failed attempts and the waits between them are part of the turn, so that a 429 adds no lines", () => {
  const list = turnsOf(
    runStarted(),
    modelCallStarted("m1"),
    modelCallFailed("m1", { cause: "rate_limit", message: "429: slow down", retryAt: 5 }),
    suspended({ kind: "provider", until: 5 }),
    resumed(),
    modelCallStarted("m1", { attempt: 2 }),
    modelCallFailed("m1", { attempt: 2, cause: "rate_limit", message: "429: slow down", retryAt: 9 }),
    suspended({ kind: "provider", until: 9 }),
    resumed(),
    modelCallStarted("m1", { attempt: 3 }),
    speaks("m1", "Here I am."),
    runEnded(),
  );
  expect(list.items.map(({ kind }) => kind)).toEqual(["line", "turn", "line"]);
  expect(list.items[1]).toMatchObject({ text: "Here I am.", state: "answered", number: 1 });
  expect((list.items[1] as Turn).failures).toHaveLength(2);
});

test("[29.1] waits in a row are one item, and a message ends the row", () => {
  const slot = () => suspended({ kind: "slot" });
  const list = turnsOf(
    runStarted(),
    slot(),
    resumed(),
    slot(),
    resumed(),
    slot(),
    resumed(),
    contextAdded("x"),
    slot(),
  );
  expect(titles(list)).toEqual([
    "Started: coder",
    "Queued: all slots are taken ×3",
    "A person says: about x",
    "Queued: all slots are taken ×1",
  ]);
});

test("[29.1] a child is one item from its start to its end, and replaces the call that started it", () => {
  const list = turnsOf(
    runStarted(),
    modelCallStarted("m1"),
    speaks("m1", "You do it.", ["delegate", { agent: "coder", task: "Mend it" }]),
    toolProposed("m1.0", { verdict: "allow" }),
    childStarted("c1", "m1.0"),
    suspended({ kind: "child", items: ["c1"] }),
  );
  expect(titles(list).slice(1)).toEqual(["1 You do it. [delegate coder=said]", "coder: open"]);
  expect((list.items[1] as Turn).calls[0]?.isReplaced).toBe(true);
});

test("[29.1] T9: a changed item is a new object, and the others stay the same", () => {
  const bodies = [runStarted(), modelCallStarted("m1"), speaks("m1", "Look.", ["Read", { path: "a" }])];
  const journal = buildJournal(...bodies, toolProposed("m1.0", { verdict: "allow" }));
  const list = fold(turnsProjection, journal.slice(0, 3));
  const [start, turn] = list.items;
  turnsProjection.apply(list, journal[3]!);
  expect(list.items[0]).toBe(start);
  expect(list.items[1]).not.toBe(turn);
});
