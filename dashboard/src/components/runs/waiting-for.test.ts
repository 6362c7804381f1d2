import { expect, test } from "vitest";
import type { ListedRun } from "../../../../src/api/client/types.ts";
import { WAITING_KINDS, type WaitingOn } from "../../../../src/journal/events.ts";
import { waitingFor } from "./waiting-for.ts";

const run = (waitingOn?: WaitingOn, more: Partial<ListedRun> = {}) =>
  waitingFor({ waitingOn, cancelRequested: false, ...more } as ListedRun);
const awaited = [
  { id: "r1", agent: "editor" },
  { id: "r2", agent: "tester" },
];

test("[U01] the column shows which person, child, provider or worker the run is waiting for", () => {
  expect(run()).toBeUndefined();
  expect(run({ kind: "child", items: ["r1"] }, { awaited: awaited.slice(0, 1) })?.text).toBe("child editor");
  expect(run({ kind: "child", items: ["r1", "r2"] }, { awaited })?.text).toBe("2 children: editor, tester");
  expect(run({ kind: "child_hitl", blockers: ["r1"] }, { awaited: awaited.slice(0, 1) })).toEqual({
    text: "in editor",
    you: true,
  });
  expect(run({ kind: "provider", until: Date.UTC(2026, 1, 1, 12, 2) })?.text).toMatch(
    /^provider until 2026-02-01 \d\d:\d\d$/,
  );
  expect(run({ kind: "approval" }, { cancelRequested: true })).toBeUndefined();
  expect(run({ kind: "approval" }, { answered: true }), "no worker drives the run").toEqual({
    text: "a worker",
    you: false,
  });
});

test("[U01] the column has a text for every kind of wait", () => {
  for (const kind of WAITING_KINDS) expect(run({ kind })?.text, kind).toMatch(/\w/);
});
