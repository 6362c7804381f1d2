import { expect } from "vitest";
import {
  delegate,
  familyOf,
  openingOf,
  payloadsOf,
  roles,
  scenario,
  turns,
  watchOffers,
} from "../../test/support/scenario.ts";
import type { ScriptedRequest, ScriptedTurn } from "../models/scripted/script.ts";

const drafts = (more = "") =>
  `bestOf: { n: 3, strategies: [short, "with care"]${more} }\ntools: [look, charge]`;
const noOutput = { text: "words" };

/** Scripted answers. A draft is recognised by its strategy. An agent that sees several drafts picks one. */
const drafting =
  (pick: number) =>
  ({ lastUser = "" }: Pick<ScriptedRequest, "lastUser">): ScriptedTurn => {
    if (lastUser.includes("## DRAFT"))
      return { report: { summary: "compared", output: { draft: pick, reason: "it fits" } } };
    const strategy = /STRATEGY\n\n(.*)/.exec(lastUser)?.[1] ?? "freely";
    return { report: { summary: `drafted ${strategy}`, details: "in detail" } };
  };

scenario(
  "[S1-4] n drafts are written at the same time; the draft that the judge picks is the answer, with the judge's reason",
  { agent: drafts(", judge: critic"), cast: { critic: "" }, script: drafting(2) },
  async (world) => {
    const runId = await world.run("name it");
    await world.seen(runId, "RUN_COMPLETED");
    const events = await world.events(runId);
    expect(payloadsOf(events, "RUN_COMPLETED")[0]).toMatchObject({
      stopReason: "final_answer",
      summary: "drafted with care",
      result: { details: "in detail\n\nDraft 2 of 3 was picked: it fits" },
    });
    expect(payloadsOf(events, "MODEL_CALL_STARTED")).toEqual([]);
    const family = await familyOf(world, runId);
    expect(family.map(({ agent, trigger, parentKey }) => [agent, trigger, parentKey])).toEqual([
      ["tester", "user", undefined],
      ["tester", "best_of", "draft/1"],
      ["tester", "best_of", "draft/2"],
      ["tester", "best_of", "draft/3"],
      ["critic", "best_of", "judge"],
    ]);
    const asked = openingOf(await world.events(family.at(-1)!.id));
    expect(asked).toMatch(/^## ORIGINAL USER REQUEST\n\nname it\n\n## YOUR PART\n\nThe drafts below/);
    expect(asked).toMatch(/## DRAFT 1\n\n<untrusted .*\ndrafted short\n\nin detail\n<\/untrusted>/);
    expect(openingOf(await world.events(family[3]!.id))).toBe("name it");
  },
);

scenario(
  "[S1-4] without a judge, the agent itself compares its drafts, in a separate run",
  { agent: drafts(), script: drafting(3) },
  async (world) => {
    const runId = await world.run("name it");
    await world.seen(runId, "RUN_COMPLETED");
    expect((await world.state(runId)).end).toMatchObject({ summary: "drafted freely" });
    expect((await familyOf(world, runId)).map(({ agent }) => agent)).toEqual(Array(5).fill("tester"));
  },
);

scenario(
  "[S1-4] a draft can use only tools that change nothing, and cannot delegate",
  { agent: `${drafts()}\nagents: [critic]`, cast: { critic: "" }, script: drafting(1), idle: true },
  async (world) => {
    const runId = await world.run("name it");
    await world.drive(runId);
    const offers = watchOffers(world, drafting(1));
    const [, first] = await familyOf(world, runId);
    await world.drive(first!.id);
    expect(offers).toEqual([["look"]]);
  },
);

scenario(
  "[H5] [D5] a draft cannot send messages, since they would start runs",
  {
    agent: "bestOf: 2\ntools: [look, send_message]",
    cast: { critic: "" },
    script: (request) =>
      request.turn === 1 && !request.lastUser?.includes("## DRAFT")
        ? { calls: [{ tool: "send_message", input: { to: "critic", message: "do it" } }] }
        : drafting(1)(request),
  },
  async (world) => {
    const runId = await world.run("name it");
    await world.seen(runId, "RUN_COMPLETED");
    const { runs } = await world.runtime.store.runs.list({ limit: 100 });
    expect(runs.map(({ agent }) => agent)).toEqual(Array(4).fill("tester"));
  },
);

scenario(
  "[H5] [S4-20] the picked draft is the answer even without `Finalize`",
  { agent: "bestOf: 2\npolicy: [Patch]", script: drafting(2) },
  async (world) => {
    const runId = await world.run("name it");
    await world.seen(runId, "RUN_COMPLETED", "RUN_FAILED");
    expect((await world.state(runId)).end).toMatchObject({ status: "completed", summary: "drafted freely" });
  },
);

scenario(
  "[S3-57] a failed draft is left out, and a single successful draft needs no judge",
  {
    agent: drafts(", judge: critic"),
    cast: { critic: "" },
    script: ({ lastUser = "", agent }) => {
      if (agent === "critic") throw new Error("nobody asks it");
      return lastUser.includes("short") ? { report: { summary: "short and good" } } : { calls: [] };
    },
    config: "limits: { maxTurns: 2 }",
  },
  async (world) => {
    const runId = await world.run("name it");
    await world.seen(runId, "RUN_COMPLETED", "RUN_FAILED");
    expect((await world.state(runId)).end).toMatchObject({ status: "completed", summary: "short and good" });
    const [ended] = payloadsOf(await world.events(runId), "RUN_COMPLETED");
    expect(ended!.result.details).toBe("Draft 1 of 3 was picked: it is the only one that succeeded.");
  },
);

scenario(
  "[S1-66] if no draft succeeds, the run fails with the first cause",
  { agent: `${drafts()}\noutput: { type: object }`, script: () => noOutput },
  async (world) => {
    const runId = await world.run("name it");
    await world.seen(runId, "RUN_FAILED");
    const [failed] = payloadsOf(await world.events(runId), "RUN_FAILED");
    expect(failed!.summary).toMatch(/^None of 3 drafts succeeded. Draft 1: The agent gave no output/);
    const [, first] = await familyOf(world, runId);
    expect(failed!.result.first_cause).toMatchObject({ run_id: first!.id });
  },
);

scenario(
  "[S3-17] if the judge fails, the run fails and names the judge",
  {
    agent: drafts(", judge: critic"),
    cast: { critic: "" },
    script: roles({ tester: turns({ text: "a draft" }), critic: turns(noOutput, noOutput) }),
  },
  async (world) => {
    const runId = await world.run("name it");
    await world.seen(runId, "RUN_FAILED");
    expect((await world.state(runId)).end!.summary).toBe(
      "Stage critic failed: The agent gave no output of the form asked for.",
    );
  },
);

scenario(
  "[H5] [S3-17] if the judge picks none of the drafts, the run fails and names the judge",
  {
    agent: drafts(", judge: critic"),
    cast: { critic: "policy: [Delegate]\nagents: [clerk]", clerk: "" },
    script: roles({
      tester: turns({ text: "a draft" }),
      critic: turns(
        { calls: [delegate("clerk")] },
        { report: { summary: "s", output: { draft: 1, reason: "r" } } },
      ),
    }),
  },
  async (world) => {
    const runId = await world.run("name it");
    await world.seen(runId, "RUN_FAILED");
    expect((await world.state(runId)).end!.summary).toBe(
      "Stage critic failed: what it answered picks none of the drafts.",
    );
  },
);

scenario(
  "[S3-67] the picked draft is passed to the handoff target",
  {
    agent: "bestOf: 2\nhandoff: critic",
    cast: { critic: "" },
    script: (request) => (request.agent === "critic" ? { text: "printed" } : drafting(1)(request)),
  },
  async (world) => {
    const runId = await world.run("name it");
    await world.seen(runId, "RUN_COMPLETED");
    expect((await world.state(runId)).end).toMatchObject({ stopReason: "handed_off", summary: "printed" });
  },
);

scenario(
  "[S1-4] a judge with steps gets the drafts as data",
  {
    agent: "bestOf: { n: 3, strategies: [short, 'with care'], judge: shortest }",
    cast: { shortest: "steps: ./shortest.steps.ts" },
    files: {
      "agents/shortest.steps.ts": `import type { Steps, StepsInput } from "cadre";
        interface Draft { number: number; summary: string }
        export default function* ({ input }: StepsInput): Steps {
          const { drafts } = input as { drafts: Draft[] };
          const [best] = drafts.toSorted((a, b) => a.summary.length - b.summary.length);
          return { summary: "measured", output: { draft: best!.number, reason: "it is the shortest" } };
        }`,
    },
    script: drafting(2),
  },
  async (world) => {
    const runId = await world.run("name it");
    await world.seen(runId, "RUN_COMPLETED", "RUN_FAILED");
    const [ended] = payloadsOf(await world.events(runId), "RUN_COMPLETED");
    expect(ended).toMatchObject({
      summary: "drafted short",
      result: { details: "in detail\n\nDraft 1 of 3 was picked: it is the shortest" },
    });
    const judge = (await familyOf(world, runId)).at(-1)!;
    expect(judge).toMatchObject({ agent: "shortest", turns: 0, status: "completed" });
  },
);
