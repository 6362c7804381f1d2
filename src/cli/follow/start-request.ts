// What a person wants begun: a task, an ended run tried again, a fork, or only what was left here.

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

/** A slip of the finger must not take up what was left here before it is noticed. */
export async function refuseUnknownAgent(invocation: Invocation, order: StartRequest): Promise<void> {
  const agent = order.type === "task" ? order.wanted.agent : undefined;
  if (agent === undefined) return;
  try {
    findAgent(await projectOf(invocation).agents(agent), agent);
  } catch (error) {
    // Whatever else is wrong with it, the process that has the store may know it better.
    if (error instanceof CadreError && error.code === "AGENT_NOT_FOUND") throw error;
  }
}

/** Another process has admitted the run with its own default model by the time one could object. */
export async function refuseModelOfOwner(client: CadreClient): Promise<void> {
  const { pid } = await client.health();
  if (pid !== process.pid)
    throw new CadreError(
      "USAGE",
      `--model counts only where no other Cadre process runs: process ${pid} has its own.`,
    );
}

/** The id of the run that came of it. The key makes asking twice begin it once. */
export async function submitRequest(
  client: CadreClient,
  order: Exclude<StartRequest, { type: "rest" }>,
  attended: boolean,
  key: string,
): Promise<string> {
  if (order.type === "fork") return (await client.fork(order.runId, order.body, key)).runId;
  if (order.type === "retry") return (await client.retry(order.runId, key)).runId;
  const { agent, task } = await chooseAgent(client, order.wanted);
  const { preset, input } = order;
  const more = {
    ...(preset === undefined ? {} : { permissions: { preset } }),
    ...(input === undefined ? {} : { input }),
  };
  return (await client.startRun({ agent, task, attended, ...more }, key)).runId;
}

/** What was read otherwise than it was written must not be found out by its answer. */
export async function printAgentWarnings(
  client: CadreClient,
  runId: string,
  order: StartRequest,
  { io }: Invocation,
): Promise<void> {
  if (order.type === "fork") return; // Its agent is as it was pinned, whatever became of the file.
  const { agent } = await client.run(runId);
  const problems = await problemsOf(client, agent);
  for (const problem of problems)
    io.stderr.write(`${problem.severity}: ${plainLine(problemText(problem))}\n`);
}

/** None where the file is gone: a run that has begun all the same must not be reported as failed. */
async function problemsOf(client: CadreClient, agent: string): Promise<AgentView["problems"]> {
  try {
    return (await client.agent(agent)).problems;
  } catch (error) {
    if (error instanceof CadreError && error.code === "NOT_FOUND") return [];
    throw error;
  }
}
