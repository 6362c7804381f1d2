// Requests to start or continue runs: a new task, a retry of an ended run, a fork, or the unfinished runs.

import { resolve } from "node:path";
import { findAgent } from "../../agents/load.ts";
import type { CadreClient } from "../../api/client/client.ts";
import type { AgentView, ForkBody } from "../../api/client/types.ts";
import { problemText } from "../../config/problem.ts";
import { CadreError, messageOf } from "../../errors.ts";
import type { Preset } from "../../journal/definition.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { type Invocation, usageError } from "../invocation.ts";
import { readAttachments, readGivenFile } from "../option-values.ts";
import { projectOf } from "../project.ts";
import { plainLine } from "../view/text/plain.ts";

export type StartRequest =
  | {
      type: "task";
      task: TaskRequest;
      preset?: Preset | undefined;
      input?: unknown;
      attachments?: { name: string; data: string }[];
    }
  | {
      type: "resume";
      runId: string | undefined;
      text: string;
      attachments?: { name: string; data: string }[];
    }
  | { type: "retry"; runId: string }
  | { type: "fork"; runId: string; body: ForkBody }
  | { type: "unfinished" };

interface TaskRequest {
  agent?: string;
  task: string;
}

interface StartOptions {
  permissions?: Preset;
  input?: string;
  attach?: string[];
  continue?: boolean;
  resume?: string;
}

export function parseStartRequest(
  words: readonly string[],
  options: StartOptions,
  cwd: string,
): StartRequest {
  const { permissions: preset, input, attach } = options;
  if (options.continue || options.resume !== undefined) return parseResume(words, options, cwd);
  const task = parseTaskArguments(words);
  const given = input === undefined ? {} : { input: readInputOption(input, cwd) };
  const files = readAttachments(attach, cwd, "Nothing was started.");
  if (task) return { type: "task", task, preset, ...given, ...files };
  if (input !== undefined)
    throw usageError('--input goes with a task: `cadre run AGENT "what to do" --input …`.');
  if (attach !== undefined)
    throw usageError('--attach goes with a task: `cadre run AGENT "what to do" --attach FILE`.');
  return { type: "unfinished" };
}

/** Parses the message of `--continue` and `--resume RUN`. The run keeps its agent, rules and input. */
function parseResume(words: readonly string[], options: StartOptions, cwd: string): StartRequest {
  const { permissions, input, attach, resume } = options;
  const [text = "", ...more] = words;
  if (options.continue && resume !== undefined)
    throw usageError("Give --continue or --resume, not both. Nothing was started.");
  if (permissions !== undefined || input !== undefined)
    throw usageError("A continued run keeps its rules and its input. Nothing was started.");
  if (text.trim() === "" || more.length > 0)
    throw usageError(
      'A continued run needs one message: `cadre run --continue "the next thing"`. Nothing was started.',
    );
  return { type: "resume", runId: resume, text, ...readAttachments(attach, cwd, "Nothing was started.") };
}

/** Parses `"task"` or `agent "task"`. Returns undefined if there are no arguments: the command then continues unfinished runs. */
export function parseTaskArguments(words: readonly string[]): TaskRequest | undefined {
  const [first, second, third] = words;
  if (third !== undefined)
    throw usageError('Too many words: put the task in quotes, as in `cadre run agent "what to do"`.');
  if (first === undefined) return undefined;
  if ((second ?? first).trim() === "")
    throw usageError('A run needs a task: cadre run "what to do". Nothing was started.');
  return second === undefined ? { task: first } : { agent: first, task: second };
}

const MAX_FILE = 1_000_000;

/** Reads the option `--input`: JSON, or `@file` for a file that contains JSON. */
function readInputOption(given: string, cwd: string): unknown {
  const file = given.startsWith("@") ? given.slice(1) : undefined;
  const nothing = "Nothing was started.";
  const text =
    file === undefined ? given : readGivenFile(resolve(cwd, file), nothing, { shown: file, max: MAX_FILE });
  try {
    return JSON.parse(text);
  } catch (error) {
    const hint = file === undefined ? " Give JSON, or @file for a file with JSON." : "";
    throw usageError(`${file ?? "--input"} is not JSON: ${messageOf(error)}.${hint} ${nothing}`);
  }
}

/** Refuses a mistyped agent's name before the command resumes unfinished runs. */
export async function refuseUnknownAgent(invocation: Invocation, request: StartRequest): Promise<void> {
  const agent = request.type === "task" ? request.task.agent : undefined;
  if (agent === undefined) return;
  try {
    findAgent(await projectOf(invocation).agents(agent), agent);
  } catch (error) {
    // Other problems are reported by the owner of the store, which might have read a newer file.
    if (error instanceof CadreError && error.code === "AGENT_NOT_FOUND") throw error;
  }
}

/** Refuses `--model` if another process owns the store: that process would start the run with its own default model. */
export async function refuseModelOfOwner(client: CadreClient, model: string): Promise<void> {
  const owner = await client.get("/api/health");
  const { pid } = owner;
  if (pid !== process.pid && owner.model !== model)
    throw usageError(`--model works only if no other Cadre process is running: process ${pid} has its own.`);
}

/** Returns the id of the run. A second call with the same key starts no second run. */
export async function submitRequest(
  client: CadreClient,
  request: Exclude<StartRequest, { type: "unfinished" }>,
  attended: boolean,
  idempotencyKey: string,
): Promise<string> {
  if (request.type === "fork") {
    const { runId: id, body } = request;
    return (await client.post("/api/runs/{id}/fork", { id, body, idempotencyKey })).runId;
  }
  if (request.type === "retry")
    return (await client.post("/api/runs/{id}/retry", { id: request.runId, idempotencyKey })).runId;
  if (request.type === "resume") return continueRun(client, request, attended, idempotencyKey);
  const { agent, task } = await chooseAgent(client, request.task);
  const { preset, input, attachments } = request;
  const more = omitUndefined({ permissions: preset && { preset }, input, attachments });
  return (await client.post("/api/runs", { body: { agent, task, attended, ...more }, idempotencyKey })).runId;
}

/**
 * Sends the message to the run, or to its session. If the run has ended outside a session, a fork at its latest event continues it.
 * Such a fork repeats nothing, so its calls follow the rules as in any other run.
 */
export async function continueRun(
  client: CadreClient,
  { runId, text, attachments }: Extract<StartRequest, { type: "resume" }>,
  attended: boolean,
  idempotencyKey: string,
): Promise<string> {
  const { id, endedAt, sessionId } =
    runId === undefined ? await latestRun(client) : await client.get("/api/runs/{id}", { id: runId });
  const message = { text, ...omitUndefined({ attachments }) };
  if (sessionId !== undefined) {
    const body = { attended, ...message };
    return (await client.post("/api/sessions/{id}/messages", { id: sessionId, body, idempotencyKey })).runId;
  }
  if (endedAt === undefined) {
    await client.post("/api/runs/{id}/message", { id, body: message, idempotencyKey });
    return id;
  }
  if (attachments !== undefined)
    throw usageError(`Run ${id} has ended, so files cannot be attached to it. Nothing was started.`);
  const body = { edit: { message: text }, allowEffects: true };
  return (await client.post("/api/runs/{id}/fork", { id, body, idempotencyKey })).runId;
}

export async function latestRun(client: CadreClient) {
  const [latest] = (await client.get("/api/runs", { roots: true, limit: 1 })).runs;
  if (latest) return latest;
  throw usageError('There is no run here to continue. Give a task: `cadre run "what to do"`.');
}

const DEFAULT_AGENT = "assistant";

/** If the person named no agent, uses the project's only agent, or its orchestrator. Otherwise uses the assistant. */
async function chooseAgent(
  client: CadreClient,
  { agent, task }: TaskRequest,
): Promise<{ agent: string; task: string }> {
  if (agent !== undefined) return { agent, task };
  const { agents } = await client.get("/api/agents");
  if (agents.some(({ name }) => name === task.trim()))
    throw usageError(`\`${task}\` is an agent: give it a task, as in \`cadre run ${task} "what to do"\`.`);
  return { agent: firstOwnAgent(agents) ?? DEFAULT_AGENT, task };
}

/** The agent that gets a message for which the person named none. */
export const defaultAgent = async (client: CadreClient): Promise<string> =>
  firstOwnAgent((await client.get("/api/agents")).agents) ?? DEFAULT_AGENT;

/**
 * The project's only agent, or its orchestrator. Files of other products do not count: there they are helpers of a general
 * assistant, and Cadre's assistant can start them.
 */
function firstOwnAgent(agents: readonly AgentView[]): string | undefined {
  const own = agents.filter(
    ({ scope, kind, dialect }) => scope === "project" && kind !== "subagent" && dialect === "cadre",
  );
  const leads = own.filter(({ name }) => /(^|\/)orchestrator$/.test(name));
  return [own, leads].find(({ length }) => length === 1)?.[0]?.name;
}

/** Prints the warnings about the agent's file, so that the person learns about a misread key before the run's answer arrives. */
export async function printAgentWarnings(
  client: CadreClient,
  runId: string,
  request: StartRequest,
  { io }: Invocation,
): Promise<void> {
  // A fork or a continued run uses the definition that the original run pinned, not the current file.
  if (request.type === "fork" || request.type === "resume") return;
  const { agent } = await client.get("/api/runs/{id}", { id: runId });
  for (const problem of await problemsOf(client, agent))
    io.stderr.write(`${problem.severity}: ${plainLine(problemText(problem))}\n`);
}

/** Returns the problems of the agent's file. A missing file is no error here, because the run has already started. */
async function problemsOf(client: CadreClient, agent: string): Promise<AgentView["problems"]> {
  try {
    return (await client.get("/api/agents/{name}", { name: agent })).problems;
  } catch (error) {
    if (error instanceof CadreError && error.code === "NOT_FOUND") return [];
    throw error;
  }
}
