// Tests that each request of an agent begins with the complete previous request, whatever pattern the agent uses.
// This lets the provider reuse its cache, and models that bind their thoughts to the conversation keep these thoughts.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { decideApproval } from "../../src/loop/commands/person-commands.ts";
import type { Script } from "../../src/models/scripted/script.ts";
import type { PatternKey } from "../../src/patterns/declarations/facts.ts";
import { cacheLedger } from "../../src/projections/usage/cache-ledger.ts";
import { samples } from "../support/pattern-samples.ts";
import { delegate, look, payloadsOf, roles, turns } from "../support/scenario.ts";
import { controlled } from "../support/steps.ts";
import { broadcast, byRound, conclude, ready } from "../support/team.ts";
import { unboundBlocks } from "../support/wire/anthropic.ts";
import { byAgent, byRun, prefixBreaks } from "../support/wire/prefix-breaks.ts";
import type { WireRequest } from "../support/wire/server.ts";
import {
  labelRequests,
  playScript,
  type WireScenarioOptions,
  wireScenario,
} from "../support/wire/wire-scenario.ts";
import { openApprovalIds } from "../support/world.ts";

interface Case extends Partial<WireScenarioOptions> {
  script: Script;
  /** Whether an agent's later runs continue its earlier run. */
  continues?: true;
}

const threeTurns = turns({ calls: [look("one")] }, { calls: [look("two"), look("three")] }, { text: "done" });
const { team, ...patterns } = samples();

const SHARED = 4;

const cases: Record<string, Case> = {
  "a plain agent": { script: threeTurns },
  "an agent in its last turn": {
    agent: "maxTurns: 2",
    script: ({ purpose, turn }) =>
      purpose === "final" ? { report: { summary: "done" } } : { calls: [look(`${turn}`)] },
  },
  "an agent that delegates twice, and its children": {
    agent: "agents: [second]",
    cast: { second: "" },
    script: roles({
      tester: turns(
        { calls: [delegate("second")] },
        { calls: [look("it"), delegate("second", "once more")] },
        { text: "done" },
      ),
      second: threeTurns,
    }),
  },
  "a steps module with several turns of one agent": {
    ...controlled(`
      yield* turn();
      yield* tool("look", { what: "between" });
      yield prompt("And the second part?");
      yield* turns();
      yield prompt("And now?");
      const own = yield* turns();
      return own.summary;`),
    script: turns(
      { text: "one" },
      { calls: [look("two")] },
      { text: "three" },
      { calls: [look("four")] },
      { text: "done" },
    ),
  },
  "an agent that does not wait for its child": {
    agent: "agents: [second]",
    cast: { second: "" },
    script: roles({
      tester: turns(
        { calls: [delegate("second", "work", { await: false })] },
        { calls: [look("it")] },
        { text: "I wait" },
        { text: "done" },
      ),
      second: threeTurns,
    }),
  },
  "a child that gets a brief of the conversation": {
    agent: "agents: [second]",
    cast: { second: "context: summary" },
    script: roles({
      tester: ({ turn, purpose }) => {
        if (purpose === "brief") return { text: "We looked." };
        if (turn === 1) return { calls: [look("it")] };
        return turn === 2 ? { calls: [delegate("second")] } : { text: "done" };
      },
      second: threeTurns,
    }),
  },
  "the members of a team across its rounds, and the coordinator": {
    ...team,
    script: team.script,
    continues: true,
  },
  "a coordinator that decides about each round": {
    agent: "team: { members: [second, third], terminationMode: coordinatorDecides, maxRounds: 3 }",
    cast: { second: "", third: "" },
    continues: true,
    script: roles({
      tester: turns(
        { calls: [broadcast("look closer")] },
        { calls: [look("it"), broadcast("once more")] },
        { text: "go on" },
        conclude("agreed"),
        { text: "done" },
      ),
      second: byRound([{ calls: [look("a")] }, ready()], [{ calls: [broadcast("b")] }, ready()], [ready()]),
      third: byRound([{ text: "I agree" }], [ready()], [{ calls: [look("c"), look("d")] }, ready()]),
    }),
  },
  "members of a team that hand off and route": {
    agent: "team: { members: [second, third], terminationMode: maxRounds, maxRounds: 3 }",
    cast: {
      second: "handoff: editor",
      third: "router: { destinations: [clerk, editor] }",
      editor: "",
      clerk: "",
    },
    continues: true,
    script: roles({
      second: threeTurns,
      third: () => ({ calls: [{ tool: "route_to", input: { agent: "clerk", reason: "fits" } }] }),
      editor: ({ turn }) => (turn === 1 ? { calls: [look("it")] } : ready()),
      clerk: ({ turn }) => (turn === 1 ? { calls: [look("it")] } : { text: "clerk is done" }),
    }),
  },
  ...Object.fromEntries(
    (Object.entries(patterns) as [PatternKey, (typeof patterns)["router"]][]).map(([name, sample]) => [
      `the pattern ${name}`,
      sample,
    ]),
  ),
};

const OPUS = "anthropic/claude-opus-5-5";

/** The patterns build the same prompts for every provider, so a few cases are enough for the other providers. */
const namesFor = (model: string): string[] =>
  Object.keys(cases).slice(0, model === OPUS ? undefined : SHARED);

describe.each([OPUS, "openai/gpt-5", "google/gemini-3-pro-preview"])("the prompts for %s", (model) => {
  for (const name of namesFor(model)) {
    const { script, continues, agent = "", cast = {}, files = {} } = cases[name]!;
    wireScenario(
      `[J12] each request extends the previous one: ${name}`,
      { model, agent, cast, files, respond: playScript(script), wire: { isZeroRetention: true } },
      async (world, { requests }) => {
        const { end } = await world.settled(await world.run("Find out."));
        expect(end?.status).toBe("completed");
        expect(requests.flatMap(({ rejections }) => rejections)).toEqual([]);
        for (const own of continues ? byAgent(requests) : byRun(requests)) {
          for (const line of linesOf(own)) expect(prefixBreaks(line)).toEqual([]);
          expect(own.flatMap(droppedThoughts), "no thought is dropped").toEqual([]);
        }
      },
    );
  }
});

/** Splits requests into conversations. Both a brief and the next turn extend the request before them, so each brief forms a separate pair with it. */
function linesOf(requests: readonly WireRequest[]): WireRequest[][] {
  const isBrief = ({ call }: WireRequest): boolean => call!.purpose === "brief";
  const briefs = requests.flatMap((request, at) => (isBrief(request) ? [[requests[at - 1]!, request]] : []));
  return [requests.filter((request) => !isBrief(request)), ...briefs];
}

const droppedThoughts = ({ provider, body }: WireRequest): string[] =>
  provider === "anthropic" ? unboundBlocks(body) : [];

wireScenario(
  "[J12] each request extends the previous one across messages of a session, an approval and a restart",
  {
    model: OPUS,
    config: "permissions: { ask: [charge] }",
    respond: ({ turn }) => ({
      parts: [
        { thinking: "Hm." },
        turn % 3 === 0
          ? { text: "done" }
          : { call: turn % 3 === 1 ? "look" : "charge", input: { what: `${turn}` } },
      ],
    }),
  },
  async (world, { requests }) => {
    const message = { sessionId: "s1", agent: "tester", from: "ann", mode: "chat", attended: true } as const;
    for (const text of ["First.", "Second."]) {
      const { runId } = await world.runtime.say({ ...message, text });
      expect((await world.settled(runId)).status).toBe("suspended");
      await world.restart();
      labelRequests(world);
      const [id] = await openApprovalIds(world, runId);
      await decideApproval(id!, { decision: "approve" }, "ann", world.runtime.people);
      await world.seen(runId, "RUN_COMPLETED");
    }
    expect(requests).toHaveLength(6);
    expect(prefixBreaks(requests)).toEqual([]);
    expect(requests.flatMap(droppedThoughts)).toEqual([]);
  },
);

function makeRepository(folder: string): void {
  writeFileSync(join(folder, ".gitignore"), ".cadre\neffects.log\nhome\n");
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", ...args], { cwd: folder });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
}

wireScenario(
  "[D6] [J12] siblings in worktrees have the same tools and system prompt",
  {
    model: OPUS,
    agent: "agents: [second]\ndelegation: { mode: parallel }",
    cast: { second: "workspace: worktree" },
    respond: playScript(
      roles({
        tester: turns({ calls: [delegate("second", "one"), delegate("second", "two")] }),
        second: threeTurns,
      }),
    ),
  },
  async (world, { requests }) => {
    makeRepository(world.folder);
    expect((await world.settled(await world.run("Find out."))).end?.status).toBe("completed");
    const [, ...children] = byRun(requests);
    expect(children.map(([first]) => first!.first)).toEqual(["one", "two"]);
    expect(children[0]![0]!.prefix.slice(0, 3)).toEqual(children[1]![0]!.prefix.slice(0, 3));
  },
);

wireScenario(
  "[24.3] if a system prompt contains a timestamp, the ledger names each call whose prompt differs from the previous one",
  {
    idle: true,
    model: "anthropic/claude-sonnet-4-5",
    respond: ({ turn }) => ({
      parts: turn > 2 ? [{ text: "Done." }] : [{ call: "look", input: { what: `${turn}` } }],
    }),
  },
  async (world, { requests }) => {
    const { parts } = world.runtime;
    const { systemPrompt } = parts;
    let time = 0;
    parts.systemPrompt = (...given) => `${systemPrompt(...given)} It is 12:0${++time}.`;
    const runId = await world.run("Look around.");
    expect((await world.drive(runId)).end?.status).toBe("completed");
    const systems = requests.map(({ body }) => JSON.stringify(body["system"]));
    expect(new Set(systems).size).toBe(3);
    const events = await world.events(runId);
    const { calls } = cacheLedger([events]);
    expect(calls.map(({ broke }) => broke)).toEqual([undefined, "system", "system"]);
    const prefixes = payloadsOf(events, "AGENT_THOUGHT").map(({ prefix }) => prefix!.system);
    const digestOf = (text: string): string => parts.digest(text).slice(0, 12);
    const sent = requests.map(({ body }) => (body["system"] as { text: string }[])[0]!.text);
    expect(prefixes, "the fingerprint is that of the sent text").toEqual(sent.map(digestOf));
  },
);
