// Requests to start or continue runs: a new task, a retry of an ended run, a fork, or the unfinished runs.

import { findAgent } from "../../agents/load.ts";
import type { CadreClient } from "../../api/client/client.ts";
import type { AgentView, ForkBody } from "../../api/client/types.ts";
import { problemText } from "../../config/problem.ts";
import { CadreError } from "../../errors.ts";
import type { Preset } from "../../journal/definition.ts";
import type { Invocation } from "../invocation.ts";
import { projectOf } from "../project.ts";
import { plainLine } from "../view/text/plain.ts";
import { chooseAgent, parseTaskArguments, type TaskRequest } from "./choose-agent.ts";
import { readInputOption } from "./input-option.ts";

export type { Preset };

export type StartRequest =
  | { type: "task"; wanted: TaskRequest; preset?: Preset | undefined; input?: unknown }
  | { type: "retry"; runId: string }
  | { type: "fork"; runId: string; body: ForkBody }
  | { type: "rest" };

export function parseStartRequest(
  words: readonly string[],
  { permissions: preset, input }: { permissions?: Preset; input?: string },
  cwd: string,
): StartRequest {
  const wanted = parseTaskArguments(words);
  const given = input === undefined ? {} : { input: readInputOption(input, cwd) };
  if (wanted) return { type: "task", wanted, preset, ...given };
  if (input !== undefined)
    throw new CadreError("USAGE", '--input goes with a task: `cadre run AGENT "what to do" --input …`.');
  return { type: "rest" };
}

/** Refuses a mistyped agent before unfinished runs of this folder are resumed. */
export async function refuseUnknownAgent(invocation: Invocation, order: StartRequest): Promise<void> {
  const agent = order.type === "task" ? order.wanted.agent : undefined;
  if (agent === undefined) return;
  try {
    findAgent(await projectOf(invocation).agents(agent), agent);
  } catch (error) {
    // Other problems are left to the process that owns the store, which may know a newer file.
    if (error instanceof CadreError && error.code === "AGENT_NOT_FOUND") throw error;
  }
}

/** Refuses `--model` if another process owns the store: it would admit the run with its own default model. */
export async function refuseModelOfOwner(client: CadreClient): Promise<void> {
  const { pid } = await client.get("/api/health");
  if (pid !== process.pid)
    throw new CadreError(
      "USAGE",
      `--model counts only where no other Cadre process runs: process ${pid} has its own.`,
    );
}

/** Returns the id of the run. Calling it again with the same key starts nothing new. */
export async function submitRequest(
  client: CadreClient,
  order: Exclude<StartRequest, { type: "rest" }>,
  attended: boolean,
  key: string,
): Promise<string> {
  if (order.type === "fork")
    return (
      await client.post("/api/runs/{id}/fork", { id: order.runId, body: order.body, idempotencyKey: key })
    ).runId;
  if (order.type === "retry")
    return (await client.post("/api/runs/{id}/retry", { id: order.runId, idempotencyKey: key })).runId;
  const { agent, task } = await chooseAgent(client, order.wanted);
  const { preset, input } = order;
  const more = {
    ...(preset === undefined ? {} : { permissions: { preset } }),
    ...(input === undefined ? {} : { input }),
  };
  return (await client.post("/api/runs", { body: { agent, task, attended, ...more }, idempotencyKey: key }))
    .runId;
}

/** Prints the warnings about the agent's file, so that a misread key is not discovered from the answer. */
export async function printAgentWarnings(
  client: CadreClient,
  runId: string,
  order: StartRequest,
  { io }: Invocation,
): Promise<void> {
  // A fork uses the pinned agent, not the current file.
  if (order.type === "fork") return;
  const { agent } = await client.get("/api/runs/{id}", { id: runId });
  const problems = await problemsOf(client, agent);
  for (const problem of problems)
    io.stderr.write(`${problem.severity}: ${plainLine(problemText(problem))}\n`);
}

/** Empty if the file is gone: a run that has started must not be reported as failed. */
async function problemsOf(client: CadreClient, agent: string): Promise<AgentView["problems"]> {
  try {
    return (await client.get("/api/agents/{name}", { name: agent })).problems;
  } catch (error) {
    if (error instanceof CadreError && error.code === "NOT_FOUND") return [];
    throw error;
  }
}
