import { expect, test } from "vitest";
import type { EventBody, JournalEvent } from "../../../../src/journal/events.ts";
import {
  agentThought,
  buildJournal,
  childStarted,
  contextAdded,
  modelCallFailed,
  modelCallStarted,
  runStarted,
} from "../../../../src/stores/contract/kit.contract.ts";
import { applyDelta, applyEvent, type RunJournal } from "../../live/run-journal.ts";
import { childWords, createEventRows, createTurnRows, type Row } from "./timeline-rows.ts";
import { createTreeSearch } from "./tree-search.ts";

const shownAs = (rows: readonly Row[]): string[] =>
  rows.map((row) => {
    if (row.type === "live") return `${row.depth} live`;
    if (row.type === "event") return row.entry.title;
    return `${row.depth} ${row.item.kind === "line" ? row.item.entry.title : row.item.kind}`;
  });

function tree(...journals: [runId: string, bodies: EventBody[]][]) {
  const runs = new Map<string, RunJournal>();
  const add = (runId: string, events: readonly JournalEvent[]) => {
    for (const event of events) applyEvent(runs, new Set(), { ...event, runId });
  };
  for (const [runId, bodies] of journals) add(runId, buildJournal(...bodies));
  return { runs, add };
}

test("[U10] [U18] the rows of an expanded child follow the child's start; the child's streaming text is its last row", () => {
  const { runs } = tree(
    ["r1", [runStarted(), childStarted("c1"), contextAdded("late")]],
    ["c1", [runStarted()]],
  );
  applyDelta(runs, { type: "text.delta", runId: "c1", callId: "m1", attempt: 1, text: "Hm" });
  const last = "0 A person says: about late";
  expect(shownAs(createTurnRows(new Set())(runs, "r1"))).toEqual(["0 Started: coder", "0 child", last]);
  expect(shownAs(createTurnRows(new Set(["c1"]))(runs, "r1"))).toEqual([
    "0 Started: coder",
    "0 child",
    "1 Started: coder",
    "1 live",
    last,
  ]);
});

test("[U13] [U14] new events add rows without creating the old rows again, and the filter counts include the new events", () => {
  const bodies = [
    runStarted(),
    modelCallStarted("m1"),
    modelCallFailed("m1", { cause: "auth", message: "no key" }),
  ];
  const { runs, add } = tree(["r1", bodies]);
  const rows = createEventRows(["failures"]);
  const turns = createTurnRows(new Set());
  const [start, failed] = turns(runs, "r1");
  const before = rows.of(runs, "r1");
  const [first] = before;
  expect(shownAs(before)).toEqual(["The model call failed: no key"]);
  add("r1", buildJournal(...bodies, modelCallStarted("m2"), agentThought("m2")).slice(3));
  expect(rows.of(runs, "r1")[0]).toBe(first);
  const after = turns(runs, "r1");
  expect(after[0]).toBe(start);
  expect(after[1]).toBe(failed);
  expect(shownAs(after)).toEqual(["0 Started: coder", "0 turn", "0 turn"]);
  expect(rows.counts(runs, "r1")).toEqual({ failures: 1, tools: 0, approvals: 0, children: 0, model: 3 });
});

test("[P9] an unreadable event leaves a gap; the other events are shown", () => {
  const bodies = [runStarted(), modelCallStarted("m1"), agentThought("m1"), contextAdded("after")];
  const { runs, add } = tree(["r1", bodies.slice(0, 2)]);
  const rest = buildJournal(...bodies).slice(2);
  add("r1", [{ ...rest[0]!, payload: {} } as unknown as JournalEvent, rest[1]!]);
  expect(runs.get("r1")?.gaps).toBe(true);
  expect(shownAs(createEventRows([]).of(runs, "r1")).at(-1)).toContain("after");
});

test("[U12] a search continues where its last chunk stopped, even if new events have arrived", () => {
  const { runs, add } = tree(["r1", [runStarted(), contextAdded("one"), contextAdded("two")]]);
  const search = createTreeSearch("ABOUT", []);
  while (search.advance(runs, 1));
  expect(search.hits.get("r1")).toEqual([2, 3]);
  add(
    "r1",
    buildJournal(runStarted(), contextAdded("one"), contextAdded("two"), contextAdded("three")).slice(3),
  );
  expect(search.advance(runs, 100)).toBe(false);
  expect(search.total).toBe(3);
});

test("[S0-76] [S0-77] the badges at a child's start and end say what the child does in the parent's pattern", () => {
  const badges = (...parts: Parameters<typeof childWords>) => {
    const { start, what } = childWords(...parts);
    return `${start} · ${what} COMPLETE`;
  };
  expect(badges("delegation", "m1.0")).toBe("DELEGATING · DELEGATION COMPLETE");
  expect(badges("best_of", "draft/2")).toBe("DRAFT 2 · DRAFT 2 COMPLETE");
  expect(badges("best_of", "judge")).toBe("JUDGE · JUDGE COMPLETE");
  expect(badges("team", "team/1/ann")).toBe("MEMBER OF ROUND 1 · MEMBER OF ROUND 1 COMPLETE");
  expect(badges("route", "route")).toBe("ROUTED TO · ROUTE COMPLETE");
  expect(badges("route", "fallback")).toBe("FALLBACK TO · FALLBACK COMPLETE");
  expect(badges("handoff", "handoff")).toBe("HANDED TO · HANDOFF COMPLETE");
  expect(badges("advisor", "advisor/legal")).toBe("ADVICE OF · ADVICE COMPLETE");
});

test("[29 bugs] the stream that has the latest words is the last one, also if it began first", () => {
  const { runs } = tree(["r1", [runStarted()]]);
  const say = (callId: string, text: string) =>
    applyDelta(runs, { type: "text.delta", runId: "r1", callId, attempt: 1, text });
  say("m1", "old");
  say("m2", "newer");
  say("m1", " and newest");
  expect([...runs.get("r1")!.streaming.values()].at(-1)?.text).toBe("old and newest");
});

test("[29.12] a snapshot replaces what was streamed, and is ignored after the call's end", () => {
  const { runs } = tree(["r1", [runStarted(), modelCallStarted("m1")]]);
  const delta = { type: "text.delta", runId: "r1", callId: "m1", attempt: 1 } as const;
  applyDelta(runs, { ...delta, text: "the middle" });
  applyDelta(runs, { ...delta, text: "From the middle", whole: true });
  expect(runs.get("r1")!.streaming.get("m1")?.text).toBe("From the middle");
  const { runs: ended } = tree(["r1", [runStarted(), modelCallStarted("m1"), agentThought("m1")]]);
  applyDelta(ended, { ...delta, text: "All of it", whole: true });
  expect(ended.get("r1")!.streaming.size).toBe(0);
});
