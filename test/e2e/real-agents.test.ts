// Coding agents as their makers ship them, each at work for runs of ours in our sandbox, with a provider on this machine that answers by
// a script. They are nobody's dependency: they are looked for where CADRE_REAL_AGENTS says that npm has installed them.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ChatCompletionRequest, LLMock } from "@copilotkit/aimock";
import { afterAll, describe, expect, test, vi } from "vitest";
import type { JournalEvent } from "../../src/journal/events.ts";
import { cancelRun, decideApproval } from "../../src/loop/commands/person-commands.ts";
import { openItems } from "../../src/projections/folds/approvals.ts";
import { trySandbox } from "../../src/tools/sandbox/find-sandbox.ts";
import { findRealAgent, REAL_AGENTS, type RealAgent, realAgentsFolder } from "../support/real-agents.ts";
import { payloadsOf, scenario, turns } from "../support/scenario.ts";
import type { World, WorldOptions } from "../support/world.ts";

const COMMAND = "touch made && echo MADE";
const mock = new LLMock({ port: 0, logLevel: "silent" });
const bwrap = await trySandbox("bwrap");
if (realAgentsFolder()) await mock.start();
for (const agent of REAL_AGENTS) play(agent);
mock.addFixture({ match: { predicate: () => true }, response: { content: "That is all." } });
afterAll(() => realAgentsFolder() && mock.stop());

for (const agent of REAL_AGENTS) {
  const command = findRealAgent(agent);
  if (command === undefined || "problem" in bwrap)
    test.skip(`[RN1] ${agent.name} is not here`, () => undefined);
  else describe(agent.name, () => works(agent, command));
}

function works(agent: RealAgent, command: string): void {
  const options: WorldOptions = {
    script: turns(),
    agent: `runner: ${JSON.stringify({ acp: { command, ...agent.acp(mock.url) } })}`,
    // Below /tmp or a home, no program could see where it is installed.
    config: `sandbox: {driver: bwrap, write: ["${realAgentsFolder()}"]}\n`,
    env: { ...process.env, CADRE_TRUST: "1" },
  };

  scenario(`[RN1] [RN9] ${agent.name} answers, in the sandbox`, options, async (world) => {
    const runId = await world.run("Say something.");
    const { end } = await world.settled(runId);
    expect(end).toMatchObject({ status: "completed", summary: expect.stringContaining("That is all.") });
    expect(payloadsOf(await world.events(runId), "RUNNER_STARTED")).toMatchObject([
      { session: expect.stringMatching(/./), pid: expect.any(Number), sandbox: "bwrap", loads: true },
    ]);
  });

  scenario(
    `[RN2] [RN3] ${agent.name} does what a person approves, and not what is rejected`,
    options,
    async (world) => {
      const made = join(world.folder, "made");
      const rejected = await decided(world, "reject");
      expect(existsSync(made)).toBe(false);
      expect(payloadsOf(rejected, "TOOL_RESULT")).toMatchObject([{ outcome: "denied" }]);
      const approved = await decided(world, "approve");
      expect(existsSync(made)).toBe(true);
      expect(payloadsOf(approved, "TOOL_RESULT")).toMatchObject([
        { output: expect.stringMatching(agent.tellsOutput ? /MADE/ : /^$/), sandbox: "bwrap" },
      ]);
      for (const events of [rejected, approved]) {
        expect(payloadsOf(events, "TOOL_PROPOSED")).toMatchObject([
          { name: "Bash", verdict: "ask", input: { command: COMMAND } },
        ]);
        expect(payloadsOf(events, "RUN_COMPLETED")).toMatchObject([
          { summary: expect.stringContaining("That is all.") },
        ]);
      }
    },
  );

  scenario(
    `[RN6] ${agent.name} is cancelled in the middle, and no process is left`,
    options,
    async (world) => {
      const asked = mock.getRequests().length;
      const runId = await world.run("NEVER END");
      await vi.waitFor(() => expect(mock.getRequests().slice(asked).some(isEndless)).toBe(true), 60_000);
      const [started] = payloadsOf(await world.events(runId), "RUNNER_STARTED");
      expect(processesOf(started!.pid)).not.toEqual([]);
      await cancelRun(runId, "sam", undefined, world.runtime.people);
      await world.seen(runId, "RUN_CANCELLED");
      await vi.waitFor(() => expect(processesOf(started!.pid)).toEqual([]), 20_000);
    },
  );
}

/** What its model says; requests without its tools are about titles and the like. */
function play(agent: RealAgent): void {
  const call = agent.call(COMMAND);
  const isTold = (word: string) => (request: ChatCompletionRequest) =>
    JSON.stringify(request.messages).includes(word) &&
    JSON.stringify(request.tools ?? []).includes(`"${call.name}"`);
  const isFirst = ({ messages }: ChatCompletionRequest) => !messages.some(({ role }) => role === "tool");
  const isToldToMake = isTold("MAKE A FILE");
  mock.addFixture({
    match: { predicate: (request) => isToldToMake(request) && isFirst(request) },
    // With any other, the Gemini CLI takes the call for a broken answer.
    response: { toolCalls: [call], ...(agent.program === "gemini" ? { finishReason: "STOP" } : {}) },
  });
  mock.addFixture({
    match: { predicate: isTold("NEVER END") },
    response: { content: Array.from({ length: 2_000 }, (_, at) => `${at} `).join("") },
    streamingProfile: { ttft: 10, tps: 2 },
  });
}

const isEndless = ({ body }: { body: unknown }): boolean => JSON.stringify(body).includes("NEVER END");

/** A run that asks, and what became of it when a person had decided. */
async function decided(world: World, decision: "approve" | "reject"): Promise<JournalEvent[]> {
  const runId = await world.run("MAKE A FILE");
  const [item] = openItems(await world.settled(runId));
  await decideApproval(item!.id, { decision }, "sam", world.runtime.people);
  await world.seen(runId, "RUN_COMPLETED", "RUN_FAILED");
  return world.events(runId);
}

/** The living processes of a session. */
const processesOf = (leader: number): string[] =>
  readdirSync("/proc").filter((name) => {
    try {
      const text = readFileSync(`/proc/${name}/stat`, "utf8");
      const [state, , , session] = text.slice(text.lastIndexOf(")") + 2).split(" ");
      return state !== "Z" && Number(session) === leader;
    } catch {
      return false;
    }
  });
