// biome-ignore-all lint/suspicious/noTemplateCurlyInString: agent files name variables in this way
// A fork is a new run that continues from a point of another run. The other run stays unchanged.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { effects } from "../../../test/support/oracle.ts";
import {
  charge,
  delegate,
  look,
  payloadsOf,
  promptOf,
  resultsRead,
  roles,
  scenario,
  stamp,
  typesOf,
} from "../../../test/support/scenario.ts";
import { openApprovalIds, type World } from "../../../test/support/world.ts";
import type { JournalEvent } from "../../journal/events.ts";
import type { Script } from "../../models/scripted/script.ts";
import { eventsBefore } from "../drive/run-journal.ts";
import { decideApproval } from "./person-commands.ts";

/** The model chooses its answer by the results it has seen, because a new run counts its turns from one again. */
const script: Script = ({ lastTool, lastUser }) => {
  const what = lastUser?.includes("twice") ? "card 2" : "card 1";
  if (lastTool === undefined) return { calls: [look("orders")] };
  if (lastTool === "look") return { calls: [charge(what)] };
  if (lastTool === "charge") return { calls: [stamp("receipt")] };
  return { report: { summary: `Charged ${what}.` } };
};
const TOOLS = "tools: [look, charge, stamp]";
const CONFIG = "permissions: { allow: [look, charge, stamp] }";

async function origin(world: World): Promise<{ runId: string; events: JournalEvent[] }> {
  const runId = await world.run("charge the card");
  await world.seen(runId, "RUN_COMPLETED");
  return { runId, events: await world.events(runId) };
}

const seqOf = (events: readonly JournalEvent[], type: JournalEvent["type"], nth = 0): number =>
  events.filter((event) => event.type === type)[nth]!.seq;

const charges = (world: World) =>
  effects(world.oracle).flatMap(({ tool, input }) => (tool === "charge" ? [input] : []));

/** All events that the run's model has seen, including those of the runs that it continues. */
async function eventsSeen(world: World, runId: string): Promise<JournalEvent[]> {
  const events = await world.events(runId);
  const before = await eventsBefore(world.runtime.store, payloadsOf(events, "RUN_STARTED")[0]!);
  return [...before, ...events];
}

scenario(
  "[FK1] [U37] [U38] a fork is a new root that continues from the chosen point; no byte of the origin's journal changes",
  { script, agent: TOOLS, config: CONFIG },
  async (world) => {
    const { runId, events } = await origin(world);
    const head = await world.runtime.store.journal.head(runId);
    const at = seqOf(events, "TOOL_RESULT");
    const fork = await world.runtime.fork(runId, { seq: at });
    await world.seen(fork.runId, "RUN_COMPLETED");

    const own = await world.events(fork.runId);
    const [start] = payloadsOf(own, "RUN_STARTED");
    expect(start).toMatchObject({
      trigger: "fork",
      rootRunId: fork.runId,
      task: "charge the card",
      effects: "ask",
      fork: { at },
      continues: { runId, seq: at, hash: (await world.runtime.store.journal.head(runId, at))!.hash },
    });
    expect(
      own.filter(({ type }) => type === "AGENT_THOUGHT"),
      "the look is not asked for again",
    ).toHaveLength(3);
    expect(resultsRead(await eventsSeen(world, fork.runId))).toEqual([
      "look orders: done",
      "charge card 1: done",
      "stamp receipt: done",
      expect.anything(),
    ]);
    expect(await world.events(runId)).toEqual(events);
    expect(await world.runtime.store.journal.head(runId)).toEqual(head);
    const { runs } = await world.runtime.store.runs.list({ branchesOf: runId });
    expect(
      runs.map(({ id }) => id),
      "beside its origin",
    ).toEqual([fork.runId]);
  },
);

describe("[FK2] recorded results replace effects", () => {
  scenario(
    "a fork does not repeat the origin's later effects, even if a rule allows them; it uses the recorded results and marks them",
    { script, agent: TOOLS, config: CONFIG },
    async (world) => {
      const { runId, events } = await origin(world);
      const fork = await world.runtime.fork(runId, { seq: 1 });
      await world.seen(fork.runId, "RUN_COMPLETED");
      expect(charges(world)).toEqual(["card 1"]);
      expect(
        effects(world.oracle).filter(({ tool }) => tool === "look"),
        "reading is done",
      ).toHaveLength(2);
      const results = payloadsOf(await world.events(fork.runId), "TOOL_RESULT");
      expect(results.map(({ recorded }) => recorded)).toEqual([
        undefined,
        { runId, seq: seqOf(events, "TOOL_RESULT", 1) },
        { runId, seq: seqOf(events, "TOOL_RESULT", 2) },
        undefined,
      ]);
      expect(typesOf(await world.events(fork.runId)).filter((type) => type === "TOOL_STARTED")).toHaveLength(
        1,
      );
    },
  );

  scenario(
    "a recorded result is used once: a second call of the same kind needs approval",
    {
      agent: TOOLS,
      config: CONFIG,
      script: ({ lastTool, lastUser }) => {
        const again = lastUser?.includes("again") ?? false;
        if (lastTool === undefined)
          return { calls: again ? [charge("card"), charge("card")] : [charge("card")] };
        return { text: "done" };
      },
    },
    async (world) => {
      const { runId } = await origin(world);
      const fork = await world.runtime.fork(runId, { seq: 1, edit: { message: "charge it again" } });
      const { waitingOn } = await world.settled(fork.runId);
      expect(waitingOn).toMatchObject({ kind: "approval", items: ["m1.1"] });
      expect(charges(world)).toEqual(["card"]);
    },
  );

  scenario(
    "the recorded result of an awaited child is used; another task starts a child, and the child's effects need approval, too",
    {
      agent: "agents: [worker]\ntools: []",
      cast: { worker: "tools: [charge]" },
      config: CONFIG,
      script: roles({
        tester: ({ lastTool, lastUser }) => {
          const task = lastUser?.includes("other") ? "charge card 2" : "charge card 1";
          return lastTool === undefined ? { calls: [delegate("worker", task)] } : { text: "all done" };
        },
        worker: ({ lastTool, task }) =>
          lastTool === undefined ? { calls: [charge(task.slice(7))] } : { text: "charged" },
      }),
    },
    async (world) => {
      const { runId, events } = await origin(world);
      const same = await world.runtime.fork(runId, { seq: 1 });
      await world.seen(same.runId, "RUN_COMPLETED");
      const own = await world.events(same.runId);
      expect(typesOf(own)).not.toContain("CHILD_RUN_STARTED");
      expect(resultsRead(await eventsSeen(world, same.runId))).toEqual(resultsRead(events));

      const other = await world.runtime.fork(runId, { seq: 1, edit: { message: "the other card" } });
      const { waitingOn } = await world.settled(other.runId);
      expect(waitingOn).toMatchObject({ kind: "child_hitl" });
      expect(charges(world)).toEqual(["card 1"]);
    },
  );
});

describe("[FK3] calls without a recorded result need approval", () => {
  const edited = { seq: 1, edit: { message: "charge it twice" } };

  scenario(
    "an unsafe call in a fork needs approval, even if a rule and an older grant allow the call",
    { script, agent: TOOLS, config: "permissions: { ask: [charge], allow: [look, stamp] }" },
    async (world) => {
      const runId = await world.run("charge the card");
      await world.settled(runId);
      const [first] = await openApprovalIds(world, runId);
      await decideApproval(first!, { decision: "approve", scope: "always" }, "maria", world.runtime.people);
      await world.seen(runId, "RUN_COMPLETED");
      // This grant would allow the call in an ordinary run.
      const { rule } = (await world.runtime.store.inbox.grants())[0]!;
      expect(rule).toMatch(/charge/);

      const fork = await world.runtime.fork(runId, edited);
      await world.settled(fork.runId);
      const [proposal] = payloadsOf(await world.events(fork.runId), "TOOL_PROPOSED").slice(-1);
      expect(proposal).toMatchObject({
        name: "charge",
        verdict: "ask",
        rule: expect.stringMatching(/^fork ask/),
      });
      const [id] = await openApprovalIds(world, fork.runId);
      await decideApproval(id!, { decision: "approve" }, "maria", world.runtime.people);
      await world.seen(fork.runId, "RUN_COMPLETED");
      expect(charges(world)).toEqual(["card 1", "card 2"]);
    },
  );

  scenario(
    "an unsafe call needs no approval after a grant in the fork, or if the fork allows effects from the start",
    {
      agent: TOOLS,
      config: CONFIG,
      script: ({ lastTool, lastUser, turn }) => {
        if (!lastUser?.includes("more")) return { text: "nothing to do" };
        return turn < 3 || lastTool === undefined ? { calls: [charge("card")] } : { text: "done" };
      },
    },
    async (world) => {
      const { runId } = await origin(world);
      const more = { edit: { message: "charge more" } };
      const fork = await world.runtime.fork(runId, more);
      await world.settled(fork.runId);
      const [id] = await openApprovalIds(world, fork.runId);
      await decideApproval(id!, { decision: "approve", scope: "run" }, "maria", world.runtime.people);
      await world.seen(fork.runId, "RUN_COMPLETED");
      expect(charges(world)).toHaveLength(2);

      const allowed = await world.runtime.fork(runId, { ...more, allowEffects: true });
      await world.seen(allowed.runId, "RUN_COMPLETED");
      expect(charges(world)).toHaveLength(4);
    },
  );

  scenario(
    "a denied call does not get a recorded result",
    { changes: true, script, agent: TOOLS, config: CONFIG },
    async (world) => {
      const { runId } = await origin(world);
      writeFileSync(
        join(world.folder, "cadre.yaml"),
        "permissions: { allow: [look, stamp], deny: [charge] }",
      );
      await world.restart();
      const fork = await world.runtime.fork(runId, { seq: 1 });
      await world.seen(fork.runId, "RUN_COMPLETED");
      const denied = payloadsOf(await world.events(fork.runId), "TOOL_PROPOSED").find(
        ({ name }) => name === "charge",
      );
      expect(denied?.verdict).toBe("deny");
    },
  );
});

scenario(
  "[FK4] an edited message replaces the task if the task has no answer yet; otherwise it follows the answer",
  { script: ({ lastUser }) => ({ text: `You said: ${lastUser}` }) },
  async (world) => {
    const { runId } = await origin(world);
    const instead = await world.runtime.fork(runId, { seq: 1, edit: { message: "something else" } });
    await world.seen(instead.runId, "RUN_COMPLETED");
    const users = async (id: string) =>
      promptOf(await eventsSeen(world, id)).flatMap(({ role, content }) =>
        role === "user" ? [(content[0] as { text: string }).text] : [],
      );
    expect(await users(instead.runId)).toEqual(["something else"]);

    const after = await world.runtime.fork(runId, { edit: { message: "and then?" } });
    await world.seen(after.runId, "RUN_COMPLETED");
    expect(await users(after.runId)).toEqual(["charge the card", "and then?"]);

    const again = await world.runtime.fork(runId, {});
    await world.seen(again.runId, "RUN_COMPLETED");
    expect(await users(again.runId), "without words of its own it answers once more").toEqual([
      "charge the card",
    ]);
  },
);

scenario(
  "[FK4] a fork can use another model or another agent file; otherwise it keeps the pinned agent",
  { script, agent: TOOLS, config: CONFIG },
  async (world) => {
    const { runId } = await origin(world);
    const file = join(world.folder, "agents", "tester.md");
    writeFileSync(file, "---\ndescription: another\nmodel: scripted/test\n---\nYou rest.\n");
    const definitionOf = async (id: string) => {
      const { definition } = (await world.runtime.store.runs.get(id))!;
      return JSON.parse((await world.runtime.store.blobs.get(definition))!) as {
        prompt: string;
        models: string[];
      };
    };
    const same = await world.runtime.fork(runId, { seq: 1 });
    expect((await definitionOf(same.runId)).prompt).toMatch(/You test/);

    const text = `---\ndescription: tests\nmodel: scripted/test\n${TOOLS}\n---\nYou test with care.\n`;
    const changed = await world.runtime.fork(runId, { seq: 1, edit: { agent: text } });
    expect((await definitionOf(changed.runId)).prompt).toMatch(/You test with care/);

    const other = await world.runtime.fork(runId, { seq: 1, edit: { model: "scripted/rehearsal" } });
    expect((await definitionOf(other.runId)).models).toEqual(["scripted/rehearsal"]);
    for (const fork of [same, changed, other]) await world.seen(fork.runId, "RUN_COMPLETED");

    const before = (await world.runtime.store.runs.list({})).runs.length;
    await expect(world.runtime.fork(runId, { edit: { model: "nosuch/x" } })).rejects.toMatchObject({
      code: "UNPROCESSABLE",
    });
    await expect(world.runtime.fork(runId, { edit: { agent: "no front matter" } })).rejects.toMatchObject({
      code: "AGENT_INVALID",
    });
    await expect(world.runtime.fork(runId, { seq: 999 })).rejects.toMatchObject({ code: "UNPROCESSABLE" });
    await expect(world.runtime.fork("r0", {})).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect((await world.runtime.store.runs.list({})).runs, "nothing was started").toHaveLength(before);
  },
);

scenario(
  "[FK5] a fork of a fork can use a recorded result that neither fork has used, but only once",
  { script, agent: TOOLS, config: CONFIG },
  async (world) => {
    const { runId } = await origin(world);
    const first = await world.runtime.fork(runId, { seq: 1 });
    await world.seen(first.runId, "RUN_COMPLETED");
    const events = await world.events(first.runId);
    const second = await world.runtime.fork(first.runId, { seq: seqOf(events, "TOOL_RESULT", 1) });
    await world.seen(second.runId, "RUN_COMPLETED");
    const results = payloadsOf(await world.events(second.runId), "TOOL_RESULT");
    expect(results.map(({ recorded }) => recorded?.runId)).toEqual([runId, undefined]);
    expect(charges(world)).toEqual(["card 1"]);
    expect(effects(world.oracle).filter(({ tool }) => tool === "stamp")).toHaveLength(1);
  },
);

scenario(
  "[FK1] a fork of a run that waits for a person starts at a point without open calls; the origin keeps its approval request",
  { script, agent: TOOLS, config: "permissions: { ask: [charge], allow: [look, stamp] }" },
  async (world) => {
    const runId = await world.run("charge the card");
    await world.settled(runId);
    const events = await world.events(runId);
    const fork = await world.runtime.fork(runId, {});
    await world.settled(fork.runId);
    const [start] = payloadsOf(await world.events(fork.runId), "RUN_STARTED");
    expect(start!.continues!.seq).toBe(seqOf(events, "TOOL_RESULT"));
    const [mine, theirs] = [await openApprovalIds(world, fork.runId), await openApprovalIds(world, runId)];
    expect(mine).toHaveLength(1);
    expect(theirs).toHaveLength(1);
    expect(mine).not.toEqual(theirs);
    expect(await world.events(runId)).toEqual(events);
    expect(charges(world)).toEqual([]);
  },
);

scenario(
  "[FK6] a kill before the fork's only event is written leaves no fork; a kill afterwards leaves the whole fork",
  { script, agent: TOOLS, config: CONFIG },
  async (world) => {
    const { runId, events } = await origin(world);
    const { store } = world.runtime;
    store.runs.start = async () => {
      world.die();
      return Promise.reject(new Error("killed"));
    };
    await expect(world.runtime.fork(runId, { seq: 1 })).rejects.toThrow("killed");
    await world.restart();
    expect((await world.runtime.store.runs.list({})).runs).toHaveLength(1);

    const again = world.runtime.store;
    const begin = again.runs.start.bind(again);
    again.runs.start = async (...given) => {
      const started = await begin(...given);
      world.die();
      throw new Error(started.runId);
    };
    const forked = await world.runtime.fork(runId, { seq: 1 }, "once").catch((error: Error) => error.message);
    await world.restart();
    await world.seen(forked as string, "RUN_COMPLETED");
    expect(await world.runtime.fork(runId, { seq: 1 }, "once"), "asked again").toEqual({ runId: forked });
    expect(await world.events(runId)).toEqual(events);
    expect(charges(world)).toEqual(["card 1"]);
  },
);

scenario(
  "[FK2] [FK4] a retried fork is still a fork: its message is sent once, and recorded results are used",
  {
    agent: TOOLS,
    config: CONFIG,
    script: ({ lastTool, lastUser }) => {
      if (lastUser?.includes("fail") && down) return { error: { status: 400, message: "out of order" } };
      return lastTool === undefined ? { calls: [charge("card")] } : { text: "done" };
    },
  },
  async (world) => {
    const { runId } = await origin(world);
    down = true;
    const fork = await world.runtime.fork(runId, { seq: 1, edit: { message: "fail first" } });
    await world.seen(fork.runId, "RUN_FAILED");
    down = false;
    const again = await world.runtime.retry(fork.runId);
    await world.seen(again.runId, "RUN_COMPLETED");
    expect(charges(world)).toEqual(["card"]);
    const said = promptOf(await eventsSeen(world, again.runId)).filter(({ role }) => role === "user");
    expect(said.map(({ content }) => (content[0] as { text: string }).text)).toEqual(["fail first"]);
  },
);

let down = false;

const runnerText = (keys: string): string =>
  `---\ndescription: tests\nmodel: scripted/test\n${keys}\n---\nYou test.\n`;
const MODULE = "export default function* () { return 'done'; }\n";
/** Edited agent files that start a program. Each file declares the program in another way. */
const STARTING = [
  'runner: { acp: { command: "/bin/sh", args: ["-c", "touch ran"] } }',
  'runner: { acp: { command: "env", env: { T: "${CADRE_TOKEN}" } } }',
  "runner:\n  acp:\n    command: touch\n    args: [ran]\ntools: []",
  "steps: ./tester.steps.ts",
  "steps: tester.steps.ts\ntools: [look]",
  "extends: other",
];

scenario(
  "[A80] [30.2] only an admin may fork with an edited agent that starts a program, and trust in the old file does not apply to it",
  {
    script,
    agent: TOOLS,
    config: CONFIG,
    files: {
      "agents/tester.steps.ts": MODULE,
      "agents/other.md": runnerText('runner: { acp: { command: "touch", args: ["ran"] } }'),
    },
  },
  async (world) => {
    const { runId } = await origin(world);
    const before = (await world.runtime.store.runs.list({})).runs.length;
    for (const keys of STARTING)
      await expect(
        world.runtime.fork(runId, { seq: 1, edit: { agent: runnerText(keys) } }, undefined, "oli", "refused"),
        keys,
      ).rejects.toMatchObject({ code: "FORBIDDEN" });
    expect((await world.runtime.store.runs.list({})).runs).toHaveLength(before);
    // An admin may fork. A fork of that fork needs an admin again.
    const allowed = await world.runtime.fork(runId, { seq: 1, edit: { agent: runnerText(STARTING[3]!) } });
    await world.seen(allowed.runId, "RUN_COMPLETED");
    await expect(
      world.runtime.fork(allowed.runId, { edit: { message: "again" } }, undefined, "oli", "refused"),
    ).rejects.toMatchObject({ code: "FORBIDDEN" });
    const harmless = { seq: 1, edit: { agent: runnerText(TOOLS) } };
    const fork = await world.runtime.fork(runId, harmless, undefined, "oli", "refused");
    await world.seen(fork.runId, "RUN_COMPLETED");
  },
);

scenario(
  "[A80] [30.2] in an untrusted folder, no edited agent starts a program, not even an edited built-in agent",
  { script, agent: TOOLS, env: {}, files: { "agents/tester.steps.ts": MODULE } },
  async (world) => {
    const runId = await world.run("look");
    await world.settled(runId);
    for (const keys of STARTING.slice(0, 5))
      await expect(
        world.runtime.fork(runId, { seq: 1, edit: { agent: runnerText(keys) } }),
      ).rejects.toMatchObject({ code: "AGENT_INVALID", message: expect.stringContaining("not trusted") });
  },
);
