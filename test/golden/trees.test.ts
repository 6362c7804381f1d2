// Tests that this version can read and verify every tree that a released version exported, and that a replay makes the same decisions.
// Waiting runs in a recorded tree continue to their end (P13, F39).

import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { decide } from "../../src/loop/drive/decide.ts";
import { type ReplayParts, replayRuns } from "../../src/loop/replay/replay.ts";
import { allProjections } from "../../src/projections/all-projections.fixture.ts";
import { fold } from "../../src/projections/projection.ts";
import type { RuntimeAssembly } from "../../src/runtime/assembly.ts";
import { moveIn } from "../../src/stores/move-tree.ts";
import { readTree } from "../../src/stores/tree-file.ts";
import { decideAll, openTree, waitUntilSettled } from "./tree-life.ts";
import { TREES } from "./trees.ts";
import { scratchFolder } from "../support/scratch.ts";

const HOME = fileURLToPath(new URL(".", import.meta.url));
const projections = await allProjections();

const recordings = readdirSync(HOME, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".cadre"));
const nameOf = (file: string): string => file.replace(/^.*[/\\]/, "").replace(".cadre", "");

let folder: string;
let runtime: RuntimeAssembly | undefined;
beforeEach(() => {
  folder = scratchFolder("cadre-trees-");
});
afterEach(async () => {
  await runtime?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Loads a recording into a new store. The runs of the recording do not continue yet. */
async function openRecording(file: string) {
  const text = readFileSync(join(HOME, file), "utf8");
  runtime = await openTree(folder, TREES[nameOf(file)]!);
  const { root } = await moveIn(text, runtime.store, { folder, accepted: true });
  const replay = async (over: Partial<ReplayParts> = {}) => {
    const { runs } = await runtime!.store.runs.list({});
    return replayRuns(
      runs.map(({ id }) => id),
      { ...runtime!.parts, ...over },
    );
  };
  return { root, replay, runtime, text };
}

describe("golden trees", () => {
  it("[P13] every tree has a recording", () => {
    expect(new Set(recordings.map(nameOf))).toEqual(new Set(Object.keys(TREES)));
  });

  it.each(recordings)("[P13] [F39] [L2] %s can be read, replays with the same decisions, and continues to its end", async (file) => {
    const { root, replay, text } = await openRecording(file);
    const store = runtime!.store;
    expect(readTree(text).version).toBe(file.split(/[/\\]/)[0]);
    expect(await replay()).toMatchObject({ divergence: undefined });
    for (const { id } of (await store.runs.list({})).runs) {
      const events = await store.journal.read(id);
      for (const projection of projections) fold(projection, events);
    }
    await runtime!.start();
    while ((await waitUntilSettled(runtime!, root)) === "waits") await decideAll(runtime!, root, { decision: "approve" });
    expect((await store.runs.get(root))?.status).toBe(TREES[nameOf(file)]!.ends);
    const whole = await replay();
    expect(whole.divergence).toBeUndefined();
    expect(whole.decisions).toBeGreaterThan(1);
  });
});

describe("replaying a recorded tree", () => {
  const file = (name: string) => recordings.find((each) => nameOf(each) === name)!;

  it("[L2] if a rule would now require approval for a call, the replay reports this call as a difference", async () => {
    const { replay, root } = await openRecording(file("single"));
    const rules = { allow: [], ask: ["look"], deny: [] };
    const { divergence } = await replay({ authority: () => [{ source: "project", rules }] });
    const [first] = (await runtime!.store.journal.read(root)).filter(({ type }) => type === "TOOL_PROPOSED");
    expect(divergence).toMatchObject({ runId: root, seq: first!.seq, agent: "solo" });
    expect(divergence?.recorded).toMatch(/^allow look/);
    expect(divergence?.now).toMatch(/^ask look \(project ask look/);
  });

  it.each([
    ["delegation", "lead", "delegate(clerk)", "allow"],
    ["router", "desk", "delegate(billing)", "allow"],
    ["question", "asker", "AskUser", "ask"],
  ])("[L2] in the tree %s, replay reports that a new rule denies a call of %s", async (name, agent, rule, then) => {
    const { replay, root } = await openRecording(file(name));
    const rules = { allow: [], ask: [], deny: [rule] };
    const { divergence } = await replay({ authority: () => [{ source: "project", rules }] });
    const first = (await runtime!.store.journal.read(root)).find(({ type }) => type === "TOOL_PROPOSED");
    expect(divergence).toMatchObject({ runId: root, seq: first!.seq, agent });
    expect(divergence?.recorded).toMatch(new RegExp(`^${then} `));
    expect(divergence?.now).toContain(`(project deny ${rule})`);
  });

  it("[L2] [FK2] a replay reuses the recorded effect of a fork, unless a rule would now deny the call", async () => {
    const { replay, root } = await openRecording(file("fork"));
    const rules = { allow: [], ask: ["charge"], deny: [] };
    const asks = await replay({ authority: () => [{ source: "project", rules }] });
    const origin = (await runtime!.store.journal.read(root))[0];
    expect(asks.divergence?.runId).toBe(origin?.type === "RUN_STARTED" && origin.payload.continues?.runId);
    const own = await replayRuns([root], {
      ...runtime!.parts,
      authority: () => [{ source: "project", rules: { allow: [], ask: [], deny: ["charge"] } }],
    });
    expect(own.divergence).toMatchObject({
      runId: root,
      recorded: expect.stringMatching(/^allow charge \(fork: recorded in /),
      now: "deny charge (project deny charge)",
    });
  });

  it("[L2] the replay of a tree reports the first decision that differs from the recording, and the event of this decision", async () => {
    const { replay } = await openRecording(file("delegation"));
    const changed: typeof decide = (view, facts) => {
      const action = decide(view, facts);
      if (view.definition.name !== "clerk" || action.type !== "end") return action;
      return { type: "end", ending: { ...action.ending, summary: "Something else." } };
    };
    const { divergence } = await replay({ decide: changed });
    const { runs } = await runtime!.store.runs.list({});
    const ends = (await runtime!.store.journal.readAll(0, 1_000)).filter(
      ({ type, runId }) => type === "RUN_COMPLETED" && runs.some(({ id, agent }) => id === runId && agent === "clerk"),
    );
    expect(divergence).toMatchObject({
      runId: ends[0]!.runId,
      seq: ends[0]!.seq,
      recorded: "end: completed, final_answer: Done.",
      now: "end: completed, final_answer: Something else.",
    });
  });
});
