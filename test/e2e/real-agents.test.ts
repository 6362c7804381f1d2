// Real coding agents do the work of Cadre runs in the sandbox. A scripted provider on this machine plays their model.
// The coding agents are not dependencies of Cadre. CADRE_REAL_AGENTS is the path of the folder in which npm has installed them.

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
    test.skip(`[RN1] ${agent.name} is not installed`, () => undefined);
  else describe(agent.name, () => works(agent, command));
}

function works(agent: RealAgent, command: string): void {
  const options: WorldOptions = {
    script: turns(),
    agent: `runner: ${JSON.stringify({ acp: { command, ...agent.acp(mock.url) } })}`,
    // The sandbox hides /tmp and home folders, so an agent installed there could not find its own files.
    config: `sandbox: {driver: bwrap, write: ["${realAgentsFolder()}"]}\n`,
    env: { ...process.env, CADRE_TRUST: "1" },
  };

  scenario(`[RN1] [RN9] ${agent.name} answers from inside the sandbox`, options, async (world) => {
    const runId = await world.run("Say something.");
    const { end } = await world.settled(runId);
    expect(end).toMatchObject({ status: "completed", summary: expect.stringContaining("That is all.") });
    expect(payloadsOf(await world.events(runId), "RUNNER_STARTED")).toMatchObject([
      { session: expect.stringMatching(/./), pid: expect.any(Number), sandbox: "bwrap", loads: true },
    ]);
  });

  scenario(
    `[RN2] [RN3] ${agent.name} runs an approved command and does not run a rejected command`,
    options,
    async (world) => {
      const made = join(world.folder, "made");
      const rejected = await runAndDecide(world, "reject");
      expect(existsSync(made)).toBe(false);
      expect(payloadsOf(rejected, "TOOL_RESULT")).toMatchObject([{ outcome: "denied" }]);
      const approved = await runAndDecide(world, "approve");
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
    `[RN6] cancelling ${agent.name} while it works leaves no process behind`,
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

/** Scripts the agent's model. A request without the agent's tools is a side task, such as finding a title. */
function play(agent: RealAgent): void {
  const call = agent.call(COMMAND);
  const isTold = (word: string) => (request: ChatCompletionRequest) =>
    JSON.stringify(request.messages).includes(word) &&
    JSON.stringify(request.tools ?? []).includes(`"${call.name}"`);
  const isFirst = ({ messages }: ChatCompletionRequest) => !messages.some(({ role }) => role === "tool");
  const isToldToMake = isTold("MAKE A FILE");
  mock.addFixture({
    match: { predicate: (request) => isToldToMake(request) && isFirst(request) },
    // The Gemini CLI accepts a call only with this finish reason.
    response: { toolCalls: [call], ...(agent.program === "gemini" ? { finishReason: "STOP" } : {}) },
  });
  mock.addFixture({
    match: { predicate: isTold("NEVER END") },
    response: { content: Array.from({ length: 2_000 }, (_, at) => `${at} `).join("") },
    streamingProfile: { ttft: 10, tps: 2 },
  });
}

const isEndless = ({ body }: { body: unknown }): boolean => JSON.stringify(body).includes("NEVER END");

/** Starts a run that needs approval. Approves or rejects its call, and returns the journal. */
async function runAndDecide(world: World, decision: "approve" | "reject"): Promise<JournalEvent[]> {
  const runId = await world.run("MAKE A FILE");
  const [item] = openItems(await world.settled(runId));
  await decideApproval(item!.id, { decision }, "sam", world.runtime.people);
  await world.seen(runId, "RUN_COMPLETED", "RUN_FAILED");
  return world.events(runId);
}

/** The processes of a session that are still running. */
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
