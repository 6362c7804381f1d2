// The messages of S2: a table with one row for each model call. The store updates this table when it is read.

import { expect } from "vitest";
import type { EventBody, Payload, ResultEnvelope } from "../../journal/events.ts";
import { messagesProjection } from "../../projections/formats/message-rows.fixture.ts";
import type { MessageRow } from "../../projections/formats/message-rows.ts";
import { childrenOf, messageTree } from "../../projections/formats/message-tree.fixture.ts";
import { fold } from "../../projections/projection.ts";
import type { MessageFilter, Store } from "../store.ts";
import {
  acquireRun,
  admit,
  agentThought,
  childSpawn,
  childStarted,
  contextAdded,
  modelCallFailed,
  modelCallStarted,
  type Open,
  readEverything,
  runEnded,
  scenarios,
  sendSignal,
  toolProposed,
  toolResult,
} from "./kit.contract.ts";

export function messagesContract(open: Open): void {
  const scenario = scenarios(open);

  scenario(
    "[S2-66] [S2-96] every model call of a tree has a row, and the rows equal a fold of the journals",
    async (opened) => {
      await tree(opened.store);
      const rows = await all(opened.store);
      expect(rows).toEqual(await foldMessages(opened.store));
      expect(rows.map(({ agent_role, request_type, status }) => [agent_role, request_type, status])).toEqual([
        ["coder", "prompt", "completed"],
        ["helper", "delegation", "failed"],
        ["helper", "delegation", "completed"],
        ["coder", "tool_call", "running"],
      ]);
      expect(await all(await opened.reopen())).toEqual(rows);
    },
  );

  scenario(
    "[S2-72] [S2-73] [S2-74] a message row is created when its model call starts, and later gets the call's outcome",
    async ({ store }) => {
      await admit(store, "r1");
      const driver = await acquireRun(store, "r1");
      await driver.append([modelCallStarted("m1")]);
      const [open] = await all(store);
      expect(open).toMatchObject({ status: "running", completed_at: null, response_content: null });
      await driver.append([agentThought("m1")]);
      expect(await all(store)).toEqual([
        { ...open, ...(await foldMessages(store))[0], status: "completed", response_content: "hm" },
      ]);
      await driver.append([
        modelCallStarted("m2"),
        modelCallFailed("m2", { cause: "overloaded", message: "529" }),
      ]);
      await driver.append([runEnded("RUN_FAILED", "No answer.")]);
      expect((await all(store)).at(-1)).toMatchObject({
        status: "failed",
        error_message: "529",
        bailout_reason: "error",
        response_summary: "No answer.",
      });
    },
  );

  scenario("[S2-75] [S2-76] the rows of a session are listed in chronological order", async ({ store }) => {
    await tree(store);
    await admit(store, "other", { sessionId: "s2" });
    await (await acquireRun(store, "other")).append([modelCallStarted("m1")]);
    const session = await all(store, { session: "s1" });
    const [first, , , last] = session as [MessageRow, MessageRow, MessageRow, MessageRow];
    expect(messageTree(session)).toMatchObject([
      { message: first, children: [{ children: [] }, { children: [] }] },
      { message: last, children: [] },
    ]);
    expect(await all(store, { parent: first.id })).toEqual(childrenOf(session, first.id));
    expect(childrenOf(session, first.id).map(({ agent_role }) => agent_role)).toEqual(["helper", "helper"]);
    expect(await all(store, { run: "c1" })).toEqual(childrenOf(session, first.id));
    expect(await all(store, { role: "coder", session: "s2" })).toHaveLength(1);
    expect(await all(store, { run: "none" })).toEqual([]);
  });

  scenario(
    "messages are listed in pages, and a call that begins during the listing is on the last page",
    async ({ store }) => {
      await admit(store, "r1");
      const driver = await acquireRun(store, "r1");
      for (let i = 1; i <= 7; i++) await driver.append([modelCallStarted(`m${i}`), agentThought(`m${i}`)]);
      const first = await store.usage.messages({ limit: 5 });
      await driver.append([modelCallStarted("m8")]);
      const next = await store.usage.messages({ limit: 5, cursor: first.nextCursor! });
      expect(first.messages).toHaveLength(5);
      expect(next.messages).toHaveLength(3);
      expect(next.nextCursor).toBeUndefined();
      expect([...first.messages, ...next.messages].map(({ id }) => id)).toEqual(
        (await foldMessages(store)).map(({ id }) => id),
      );
    },
  );

  scenario(
    "[S2-3] reading message rows between the steps of a tree does not change them",
    async ({ store }) => {
      await tree(store, async () => void (await all(store)));
      const rows = await all(store);
      expect(rows).toEqual(await foldMessages(store));
      expect(rows.map(({ parent_message_id }) => parent_message_id)).toEqual([null, 2, 2, null]);
    },
  );

  scenario("message rows equal a fold of the journal after every event", async (opened) => {
    const { store } = opened;
    await admit(store, "r1");
    const driver = await acquireRun(store, "r1");
    const strange = { content: [{ type: "text" as const, text: "a\u0000b \ud800 c" }] };
    for (const event of [
      modelCallStarted("m1", { purpose: "brief" }),
      agentThought("m1"),
      modelCallStarted("m2"),
      agentThought("m2", { ...strange, ms: 2.5, usage: { input: 1.5, output: 2 } }),
      toolProposed("m2.0"),
      modelCallStarted("m3", { purpose: "summary" }),
    ]) {
      await driver.append([event]);
      expect(await all(store)).toEqual(await foldMessages(store));
    }
    await sendSignal(store, "r1", { type: "CANCEL_REQUESTED", payload: { by: "maria" } });
    await driver.append([runEnded("RUN_CANCELLED")]);
    expect(await all(await opened.reopen())).toEqual(await foldMessages(opened.store));
    expect((await all(opened.store)).map(({ status }) => status)).toEqual([
      "completed",
      "completed",
      "cancelled",
    ]);
  });

  scenario(
    "[28.10] [S2-26] the last row of a run that a limit ended shows the document's status",
    async (opened) => {
      const { store } = opened;
      const ends = [
        runEnded("RUN_COMPLETED", "In part.", "max_duration"),
        runEnded("RUN_FAILED", "Out of time.", "max_duration"),
        runEnded("RUN_FAILED", "Out of turns.", "max_turns"),
        runEnded("RUN_COMPLETED", "In part.", "max_turns"),
        runEnded("RUN_CANCELLED"),
      ];
      for (const [i, end] of ends.entries()) {
        await admit(store, `r${i}`);
        const driver = await acquireRun(store, `r${i}`);
        await driver.append([modelCallStarted("m1"), agentThought("m1")]);
        await driver.append([modelCallStarted("m2"), agentThought("m2")]);
        await driver.append([end]);
      }
      const rows = await all(store);
      expect(rows).toEqual(await foldMessages(store));
      const last = rows.filter(({ iteration_count }) => iteration_count === 2);
      expect(last.map((row) => [row.status, row.bailout_reason, row.error_message])).toEqual([
        ["timeout", "timeout", null],
        ["timeout", "timeout", "Out of time."],
        ["failed", "max_iterations", "Out of turns."],
        ["completed", "max_iterations", null],
        ["completed", null, null],
      ]);
      expect(new Set(rows.filter((row) => !last.includes(row)).map(({ status }) => status))).toEqual(
        new Set(["completed"]),
      );
    },
  );

  scenario(
    "[28.9] [S2-12] `request_content` is the text that was new to the model, with the names that the agent's file lists",
    async ({ store }) => {
      await admit(store, "r1", {
        task: "Do it",
        criteria: "It works.",
        contextFiles: ["a.ts", "b.ts"],
        input: { n: 1 },
        ownMaxTurns: 9,
      });
      const driver = await acquireRun(store, "r1");
      await driver.append([
        modelCallStarted("m1"),
        calls("m1", ["read_file", "delegate_to_agent", "run_x_agent"]),
      ]);
      await driver.append([
        ...["Read", "delegate", "delegate"].map((name, index) => toolProposed(`m1.${index}`, { name })),
        toolResult("m1.0", { lines: 2 }),
        ...endedChild("c1", "m1.1", {
          summary: "## Done\n\nI did it.\n\nIn two files.",
          files_modified: ["b"],
          files_created: ["a"],
        }),
        ...endedChild("c2", "m1.2", {
          summary: "Out of time.",
          stop_reason: "max_duration",
          warnings: ["Cut off."],
        }),
        ...endedChild("c3", "advisor:x", { summary: "Advice." }, { trigger: "advisor" }),
        modelCallStarted("m2"),
        modelCallFailed("m2", { cause: "output_cap", message: "cut" }),
        contextAdded("note", "Your answer was cut off."),
        modelCallStarted("m3"),
        modelCallFailed("m3", { cause: "overloaded", message: "529" }),
        modelCallStarted("m3", { attempt: 2 }),
        calls("m3", ["mcp__agent__spawn", "delegate", "delegate", "delegate"], 2),
        ...["m3.0", "m3.1", "m3.2", "m3.3"].map((id) => toolProposed(id, { name: "delegate" })),
        ...endedChild("c4", "m3.0", { details: "All of it." }),
        toolResult("m3.1", true),
        ...endedChild("c5", "m3.1", {}, { awaited: false }),
        ...endedChild("c6", "m3.2", { status: "failed" }, { retries: 1 }),
        ...endedChild("c7", "m3.2", { summary: "Failed.", status: "failed", first_cause: CAUSE }),
        ...endedChild("c8", "m3.3", { summary: "No gap\nhere" }),
        modelCallStarted("m4"),
      ]);
      const rows = await all(store);
      expect(rows).toHaveLength(5);
      expect(rows).toEqual(await foldMessages(store));
      const text = (row: number): string => rows[row]!.request_content!;
      expect(text(0)).toBe(
        'Do it\n\nSuccess criteria: It works.\n\nFiles to look at: a.ts, b.ts\n\nInput:\n{"n":1}\n\nYou have at most 100 turns for this task.',
      );
      const [read, role, named, ...others] = text(1).split("\n\n[result of ");
      expect(read).toBe('[result of read_file] {"lines":2}');
      expect(JSON.parse(role!.replace("delegate_to_agent] ", ""))).toMatchObject({
        ...{ status: "completed", summary: "## Done\n\nI did it.", details: "In two files." },
        ...{ files_modified: ["a", "b"], files_created: ["a"], child_run_id: "c1" },
      });
      expect(JSON.parse(named!.replace("run_x_agent] ", ""))).toEqual({
        ...{ success: true, child_run_id: "c2", summary: "Out of time." },
        ...{ stop_reason: "max_duration", warnings: ["Cut off."] },
      });
      expect(others).toEqual([]);
      expect(
        rows.slice(2, 4).map(({ request_content, request_type }) => [request_content, request_type]),
      ).toEqual(Array(2).fill(["Your answer was cut off.", "continuation"]));
      expect(text(4)).toContain(
        '[result of mcp__agent__spawn] {"agentId":"c4","status":"completed","result":{',
      );
      expect(text(4)).toContain('"details":"All of it."');
      expect(text(4)).toContain('Run c5 of coder, which you started, is done:\n{"status":"completed"');
      expect(text(4)).not.toContain('"child_run_id":"c6"');
      expect(text(4)).toContain('"summary":"Failed. (first cause: deep, run c9: No key.)"');
      expect(text(4)).toContain(
        '[result of delegate] {"status":"completed","summary":"No gap\\nhere","details":""',
      );
    },
  );

  scenario(
    "[28.9] an opening that a pattern writes replaces the task in `request_content`",
    async ({ store }) => {
      await admit(store, "r1");
      const driver = await acquireRun(store, "r1");
      const opening = {
        id: "advice",
        source: "advice" as const,
        text: "## REQUEST AND ADVICE",
        opening: true as const,
      };
      await driver.append([{ type: "CONTEXT_ADDED", payload: opening }, modelCallStarted("m1")]);
      const rows = await all(store);
      expect(rows).toEqual(await foldMessages(store));
      expect(rows[0]!.request_content).toBe("## REQUEST AND ADVICE");
    },
  );

  scenario("[28.9] [S2-18] a row lists the files that file tools and commands changed", async ({ store }) => {
    await admit(store, "r1");
    const driver = await acquireRun(store, "r1");
    const file = { kind: "file" as const, blob: "b", mode: 420 };
    const changes = {
      at: 1,
      paths: [
        { path: "made.txt", before: null, after: file },
        { path: "folder", before: null, after: { kind: "folder" as const } },
        { path: "gone.txt", before: file, after: null },
        { path: "a.ts", before: file, after: file },
      ],
    };
    const files = [{ path: "a.ts", change: "modified" as const }];
    await driver.append([
      modelCallStarted("m1"),
      agentThought("m1"),
      { type: "TOOL_RESULT", payload: { toolCallId: "m1.0", output: "ok", files, changes } },
      modelCallStarted("m2"),
    ]);
    const rows = await all(store);
    expect(rows).toEqual(await foldMessages(store));
    expect(rows[0]!.files_modified_json).toBe('["a.ts","made.txt","gone.txt"]');
  });

  scenario(
    "[28.9] `duration_ms` is the time between the row's own times, and `iteration_count` is that of the result",
    async ({ store, clock }) => {
      await admit(store, "r1");
      const driver = await acquireRun(store, "r1");
      await driver.append([modelCallStarted("m1")]);
      clock.advance(32);
      await driver.append([agentThought("m1", { ms: 1 }), modelCallStarted("m2")]);
      clock.advance(5);
      await driver.append([
        modelCallFailed("m2", { cause: "interrupted", message: "killed" }),
        runEnded("RUN_FAILED"),
      ]);
      const rows = await all(store);
      expect(rows).toEqual(await foldMessages(store));
      expect(rows.map(({ duration_ms, iteration_count }) => [duration_ms, iteration_count])).toEqual([
        [32, 1],
        [5, 1],
      ]);
    },
  );

  scenario("[S2-3] a child's message finds its parent's call across page boundaries", async ({ store }) => {
    await admit(store, "r1");
    const parent = await acquireRun(store, "r1");
    await parent.append([modelCallStarted("m1"), agentThought("m1")]);
    await parent.append(Array.from({ length: 496 }, (_, i) => contextAdded(`${i}`)));
    await parent.append([childStarted("c1", "m1.0")], { spawn: childSpawn("c1", "r1", "m1.0") });
    await (await acquireRun(store, "c1")).append([modelCallStarted("m1")]);
    expect((await all(store, { run: "c1" })).map((row) => row.parent_message_id)).toEqual([2]);
  });

  scenario("[P9] all messages are listed, even if their events fill several pages", async ({ store }) => {
    const ids = Array.from({ length: 60 }, (_, i) => `r${i}`);
    await Promise.all(ids.map((id) => admit(store, id)));
    for (let i = 1; i <= 10; i++) {
      await Promise.all(
        ids.map(async (id) => sendSignal(store, id, modelCallStarted(`m${i}`), agentThought(`m${i}`))),
      );
    }
    const [one, two] = await Promise.all([
      store.usage.messages({ limit: 1000 }),
      store.usage.messages({ limit: 1000 }),
    ]);
    expect(one.messages).toHaveLength(600);
    expect(two.messages).toEqual(one.messages);
    expect(one.messages).toEqual(await foldMessages(store));
  });
}

const CAUSE = { run_id: "c9", agent: "deep", stop_reason: "error" as const, summary: "No key." };

/** An answer with calls of these tools. */
const calls = (callId: string, names: string[], attempt = 1) =>
  agentThought(callId, {
    attempt,
    content: names.map((toolName) => ({ type: "tool-call" as const, toolCallId: "", toolName, input: {} })),
  });

function endedChild(
  runId: string,
  key: string,
  result: Partial<ResultEnvelope>,
  started: Partial<Payload<"CHILD_RUN_STARTED">> = {},
): EventBody[] {
  const { payload } = runEnded() as Extract<EventBody, { type: "RUN_COMPLETED" }>;
  const whole = { ...payload.result, ...result };
  const about = { agent_type: "coder", task: "", trigger: "delegation" as const, key };
  const { status, summary } = whole;
  return [
    { type: "CHILD_RUN_STARTED", payload: { child_run_id: runId, ...about, ...started } },
    {
      type: "CHILD_RUN_COMPLETED",
      payload: { child_run_id: runId, success: status === "completed", summary, key, result: whole },
    },
  ];
}

/** A root delegates, its child's first attempt fails, and the root works again. */
async function tree(store: Store, each = async () => {}): Promise<void> {
  await admit(store, "r1", { sessionId: "s1" });
  const parent = await acquireRun(store, "r1");
  const call = {
    type: "tool-call" as const,
    toolCallId: "x",
    toolName: "delegate",
    input: { agent: "helper" },
  };
  await parent.append([modelCallStarted("m1"), agentThought("m1", { content: [call] })]);
  await parent.append([toolProposed("m1.0", { name: "delegate", verdict: "allow", context: "full" })]);
  await each();
  const child = childSpawn("c1", "r1", "m1.0");
  Object.assign(child.start, { agent: "helper", sessionId: "s1" });
  await parent.append([childStarted("c1", "m1.0")], { spawn: child });
  await each();
  const driver = await acquireRun(store, "c1");
  await driver.append([
    modelCallStarted("m1"),
    modelCallFailed("m1", { cause: "overloaded", message: "529" }),
  ]);
  await driver.append([modelCallStarted("m1", { attempt: 2 }), agentThought("m1", { attempt: 2 })]);
  await each();
  await driver.append([runEnded()]);
  await parent.append([modelCallStarted("m2")]);
}

async function all(store: Store, filter: MessageFilter = {}): Promise<MessageRow[]> {
  return (await store.usage.messages({ limit: 1_000, ...filter })).messages.map(withPlainText);
}

async function foldMessages(store: Store): Promise<MessageRow[]> {
  const { rows } = fold(messagesProjection, await readEverything(store));
  return [...rows.values()].sort((a, b) => a.id - b.id).map(withPlainText);
}

/**
 * Some text has no form in a database: Postgres knows no NUL, and a lone surrogate has no bytes in UTF-8.
 * The views show replacement characters instead; SQLite one for each byte that a surrogate would have had.
 */
const withPlainText = (row: MessageRow): MessageRow => ({
  ...row,
  response_content: row.response_content?.replaceAll(/[\u0000\ufffd]+/g, "\ufffd") ?? null,
});
