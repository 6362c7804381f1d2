import { describe, expect, test } from "vitest";
import type { EventBody, JournalEvent } from "../../../journal/events.ts";
import { cellWidth } from "../screen.ts";
import { runEnded, runStarted } from "../tree.fixture.ts";
import { createLiveTree, needsPerson } from "./live-tree.ts";
import { statusLine } from "./status-line.ts";
import { treeLines } from "./tree-lines.ts";

const thinking: EventBody = { type: "MODEL_CALL_STARTED", payload: { callId: "m1", model: "x/y" } };
const waiting: EventBody = {
  type: "RUN_SUSPENDED",
  payload: { waitingOn: { kind: "budget", items: ["budget/1"], detail: "The budget is used up." } },
};

/** Builds a lead with workers. Each entry is a worker, optionally with a helper. */
function tree(workers: { is: EventBody; helper?: EventBody }[]) {
  const live = createLiveTree();
  const seqs = new Map<string, number>();
  const happens = (runId: string, ...bodies: EventBody[]): void => {
    for (const body of bodies) {
      const seq = (seqs.get(runId) ?? 0) + 1;
      seqs.set(runId, seq);
      live.apply({ runId, seq, position: seq, ts: 1_000, key: `k${seq}`, ...body } as JournalEvent);
    }
  };
  happens("r1", runStarted("lead"), thinking);
  workers.forEach(({ is, helper }, index) => {
    happens(`c${index}`, runStarted("worker", { parentRunId: "r1" }));
    if (helper) happens(`h${index}`, runStarted("helper", { parentRunId: `c${index}` }), helper);
    happens(`c${index}`, is);
  });
  return live;
}

function picture(live: ReturnType<typeof tree>, room: number, columns = 100) {
  const { lines, hidden } = treeLines(live.top!, { now: 13_000, columns, room, paint: (_, text) => text });
  const runs = [...live.runs.values()];
  return { lines, hidden, status: statusLine(runs, { now: 13_000, preset: "ask", hidden }, columns) };
}

const drawn = (live: ReturnType<typeof tree>, room: number, columns = 100): string[] =>
  picture(live, room, columns).lines;

/** Keeps only the branches and names of the drawn tree. */
const shape = (lines: string[]): string[] => lines.map((line) => /^\W*\w+(#\d+)?/.exec(line)![0]);

describe("a tree that is drawn with a limited number of lines", () => {
  const done = { is: runEnded(), helper: runEnded() };

  test("the drawing shows all runs if they fit", () => {
    const live = tree([done, { is: thinking, helper: runEnded("failed", "No such\nfile.") }]);
    const { lines, status } = picture(live, 5);
    expect(shape(lines)).toEqual([
      "● lead",
      "├─ ✓ worker",
      "│  └─ ✓ helper",
      "└─ ● worker#2",
      "   └─ ✗ helper",
    ]);
    expect(lines[1]).toMatch(/worker {5}It is done\. +0 turns · 0 tokens · \$0\.00 · +0 s$/);
    expect(lines[3]).toMatch(/worker#2 {3}thinking \(12 s\) · go +0 turns · 0 tokens · \$0\.00 · 12 s$/);
    expect(lines[4]).toContain("✗ helper  No such file. ");
    expect(status).toBe(
      "lead · preset ask · 0 tokens · $0.00 · 5 runs: 2 at work, 2 done, 1 not done · 12 s",
    );
  });

  test("[26.14] the names of runs are never cut; what they do is shortened instead", () => {
    const live = createLiveTree();
    const name = "reviewer-of-the-documentation";
    const event = (runId: string, body: EventBody): void => {
      live.apply({ runId, seq: 1, position: 1, ts: 1_000, key: "k1", ...body } as JournalEvent);
    };
    event("r1", runStarted("lead"));
    event("c1", runStarted(name, { parentRunId: "r1" }));
    const [, line] = drawn(live, 5, 60);
    expect(line).toContain(` ${name} `);
    expect(cellWidth(line!)).toBeLessThanOrEqual(80);
  });

  test("the drawing first leaves out the descendants of ended runs, and says how many runs it left out", () => {
    const { lines, hidden } = picture(tree([done, done, { is: thinking, helper: thinking }]), 5);
    expect(shape(lines)).toEqual([
      "● lead",
      "├─ ✓ worker",
      "├─ ✓ worker#2",
      "└─ ● worker#3",
      "   └─ ● helper",
    ]);
    expect(lines[1]).toContain("It is done. (+1 below)");
    expect(hidden).toBe(2);
  });

  test("[TV4] if space is short, the drawing leaves out ended runs first, then working runs, and last the runs that need a person", () => {
    const many = Array.from({ length: 30 }, () => ({ is: runEnded() }));
    const busy = Array.from({ length: 30 }, () => ({ is: thinking }));
    const { lines, status } = picture(tree([...many, ...busy, { is: thinking, helper: waiting }]), 5);
    expect(shape(lines)).toEqual([
      "● lead",
      "├─ ● worker#31",
      "├─ ● worker#32",
      "└─ ● worker#61",
      "   └─ ? helper",
    ]);
    expect(lines[4]).toContain("needs you: The budget is used up.");
    expect(status).toBe(
      "… 58 more · 1 needs you · preset ask · 0 tokens · $0.00 · 63 runs: 32 at work, 30 done · 12 s",
    );
  });

  test("[TV4] a drawing of two hundred runs shows the runs that need a person and the runs that ended last", () => {
    const all = Array.from({ length: 200 }, (_, at) => ({ is: at === 150 ? waiting : runEnded() }));
    const live = tree(all);
    live.runs.get("c170")!.state.end!.ts = 2_000;
    const { lines, hidden, status } = picture(live, 3, 80);
    expect(shape(lines)).toEqual(["● lead", "├─ ? worker#151", "└─ ✓ worker#171"]);
    expect(hidden).toBe(198);
    expect(status).toMatch(/^… 198 more · 1 needs you · preset ask · /);
  });

  test("with almost no room, the drawing shows no runs", () => {
    const { lines, status } = picture(tree([done, done]), 1, 60);
    expect(lines).toEqual([]);
    expect(status).toBe("preset ask · 0 tokens · $0.00 · 5 runs: 1 at work, 4 done");
  });

  test.each([30, 59, 60, 80, 99, 100, 200])(
    "no line of the drawing is longer than a terminal of %d columns",
    (columns) => {
      const long = runEnded("completed", "word ".repeat(80));
      const live = tree([{ is: long, helper: long }, { is: waiting }, { is: thinking, helper: thinking }]);
      for (const line of drawn(live, 20, columns)) expect(cellWidth(line)).toBeLessThan(columns);
    },
  );
});

test("the drawing shows the progress of an agent's to-do list after the agent's activity", () => {
  const live = tree([{ is: thinking }]);
  const todos = [
    { content: "Look", status: "completed" as const },
    { content: "Write the test", status: "in_progress" as const, activeForm: "writing the test" },
  ];
  live.runs.get("c0")!.state.todos = todos;
  expect(drawn(live, 20)[1]).toContain("1 of 2 done: writing the test");
});

test("a run needs a person if it is paused or has an open item, but not if only a descendant needs a person", () => {
  const live = tree([{ is: waiting }, { is: runEnded() }]);
  const blocked: EventBody = {
    type: "RUN_SUSPENDED",
    payload: { waitingOn: { kind: "child_hitl", items: ["c0"] }, blockers: ["c0"] },
  };
  live.apply({ runId: "r1", seq: 3, position: 9, ts: 2_000, key: "s", ...blocked } as JournalEvent);
  expect([...live.runs.values()].map(needsPerson)).toEqual([false, true, false]);
});
