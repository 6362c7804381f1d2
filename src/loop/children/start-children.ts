// Starts the children that calls request.
// One transaction writes the parent's intent and the child's first event, so neither exists without the other.
// A child's id is known before the child exists (J7, J10).

import { addedReach } from "../../agents/explain/blast-radius.ts";
import type { Ids } from "../../ids.ts";
import { baseName } from "../../journal/agent-id.ts";
import { type Attachment, MAX_MESSAGE_BYTES, MAX_MESSAGE_FILES } from "../../journal/attachment.ts";
import { type ContextMode, DEFAULT_DELEGATION } from "../../journal/definition.ts";
import type { EventBody } from "../../journal/events.ts";
import { filesOf, type PromptMessage } from "../../journal/message.ts";
import { markUntrusted } from "../../journal/untrusted.ts";
import { toolResult } from "../../patterns/events.ts";
import { openingText, openingWithRequest } from "../../patterns/opening.ts";
import { effectiveInput, receiptField, type ToolCall } from "../../projections/folds/tool-call.ts";
import { promptMessages } from "../../projections/folds/transcript.ts";
import type { Refusal, Spawn } from "../../stores/store.ts";
import { inputProblem } from "../builtin-tools/declared/closing-tools.ts";
import {
  type DelegationRequest,
  delegationToolNamed,
  findDelegate,
  parseDelegation,
  resolveContextMode,
} from "../builtin-tools/declared/delegate.ts";
import { judgeDelegation } from "../builtin-tools/delegate.ts";
import { currentGrants } from "../calls/judge.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";
import { delegationBlastRadius } from "./blast-radius.ts";
import { type CallRefusal, checkDelegation, treeLimitRefusal } from "./check-delegation.ts";
import {
  type ChildParts,
  type ChildRequest,
  childDefinition,
  type PreparedChild,
  prepareChild,
  previousRunOf,
} from "./prepare-child.ts";

type SpawnParts = ChildParts & Pick<LoopParts, "authority" | "blastRadius" | "clock" | "judge" | "mayBegin">;

export async function startChildren(
  ids: readonly string[],
  run: RunJournal,
  parts: SpawnParts,
): Promise<void> {
  const calls = ids.map((id) => run.state.calls.get(id)!);
  const prepared = await Promise.all(calls.map((call) => prepare(call, run, parts)));
  if (!parts.mayBegin()) return run.release();
  // Children start in the order of the calls, in one commit.
  // Refusals are recorded after the commit, because a fold that is rebuilt during the append would lose them.
  const heir = prepared.find((child) => !("outcome" in child) && child.awaited);
  const answers = await Promise.all(prepared.map((child) => begin(child, child === heir, run)));
  // B4: if the parent has no slot to pass on and no slot is free, all of the children wait. None of them is refused.
  const queues = prepared.some((child, index) => child === heir && answers[index] === "slots");
  answers.forEach((answer, index) => {
    if (answer === undefined || (queues && answer === "slots")) return;
    const refused = typeof answer === "string" ? treeLimitRefusal(answer, run, parts.maxConcurrent) : answer;
    if (refused) run.record(toolResult(calls[index]!.id, refused.output, refused.outcome));
  });
  if (queues && !run.isOver) await run.waitForSlot();
}

/** Returns why the child did not start. The first awaited child takes the parent's slot; every other child needs a free slot (B4). */
async function begin(
  child: DelegatedChild | CallRefusal,
  isHeir: boolean,
  run: RunJournal,
): Promise<CallRefusal | Refusal | undefined> {
  if ("outcome" in child) return child;
  const { started, detachedResult } = child;
  const spawn: Spawn = { ...child.spawn, slot: isHeir ? "parents" : "free" };
  return run.begin([started, ...detachedResult], { spawn });
}

async function prepare(
  call: ToolCall,
  run: RunJournal,
  parts: SpawnParts,
): Promise<DelegatedChild | CallRefusal> {
  const asked = parseDelegation({ ...call, input: effectiveInput(call) })!;
  if ("problem" in asked) return { output: asked.problem, outcome: "error" };
  return (await recheckDelegation(call, asked, run, parts)) ?? childFor(call, asked, run, parts);
}

/** P5: judges a delegation again by the current rules. This is needed if a person approved or edited it, or an earlier driver judged it. */
async function recheckDelegation(
  call: ToolCall,
  asked: DelegationRequest,
  run: RunJournal,
  parts: SpawnParts,
): Promise<CallRefusal | undefined> {
  if (!call.decision && call.proposal!.seq > run.seqWhenTaken) return undefined;
  const refused = await checkDelegation(call, asked, run, parts);
  if (refused) return refused;
  const { verdict, rule } = judgeDelegation(asked, await currentGrants(run, parts), run, parts);
  if (verdict === "deny") return { output: `Not allowed (${rule}). Do it another way.`, outcome: "denied" };
  return checkBlastRadius(call, asked, run, parts);
}

/** BR3: refuses an agent whose file now allows more than it did when a person approved the delegation. */
async function checkBlastRadius(
  { proposal }: ToolCall,
  asked: DelegationRequest,
  run: RunJournal,
  parts: SpawnParts,
): Promise<CallRefusal | undefined> {
  const shown = proposal!.blastRadius;
  const now = shown && (await delegationBlastRadius(asked, run, parts));
  // If a person's edit chose another agent, there is no earlier list of abilities to compare with.
  if (!now || now.agent !== shown.agent) return undefined;
  const more = addedReach(shown, now);
  if (more.length === 0) return undefined;
  const what = `${asked.name} could now also use ${more.join(", ")}, which it could not when a person allowed it`;
  return { output: `Not started: ${what}. Ask again if it is still needed.`, outcome: "denied" };
}

interface DelegatedChild extends PreparedChild {
  /** S1-21: the immediate result of a call that does not await its child. */
  detachedResult: EventBody[];
  awaited: boolean;
}

async function childFor(
  call: ToolCall,
  asked: DelegationRequest,
  run: RunJournal,
  parts: SpawnParts,
): Promise<DelegatedChild | CallRefusal> {
  const delegate = findDelegate(run.definition.delegates ?? [], asked.name);
  if (!delegate) return { output: `There is no agent ${asked.name} for you.`, outcome: "denied" };
  const definition = await childDefinition(delegate.agent, asked, run, parts);
  if ("outcome" in definition) return definition;
  const tool = delegationToolNamed(call.name)!;
  const request = tool.routes
    ? await routeRequest(call.id, asked, { agent: definition.name, run, parts })
    : delegationRequest(call.id, asked, run);
  const misfit = inputProblem(request.input, definition);
  if (misfit !== undefined)
    return { output: `\`context\` does not fit what ${asked.name} asks for: ${misfit}`, outcome: "error" };
  const events = tool.routes
    ? routeContext(asked, request, { run, ids: parts.ids })
    : parentContext(await resolveContextMode(asked, run, parts), asked, run, parts.ids);
  const approved = { ...request, ...receiptField(call, parts) };
  const child = await prepareChild(approved, definition, events, run, parts);
  if ("problem" in child) return { output: child.problem, outcome: "error" };
  const { awaited } = asked;
  const detached = awaited ? undefined : tool.detachedResult?.(child.spawn.runId);
  return { ...child, awaited, detachedResult: detached ? [toolResult(call.id, detached)] : [] };
}

function delegationRequest(key: string, asked: DelegationRequest, { definition }: RunJournal): ChildRequest {
  const { task, context: input, criteria, contextFiles, model, maxTurns, awaited } = asked;
  const { onFailure } = definition.delegation ?? DEFAULT_DELEGATION;
  const retries = onFailure === "retry" && awaited ? 1 : 0;
  const given = { task, input, criteria, contextFiles, model, maxTurns };
  return { key, trigger: "delegation", ...given, awaited, retries };
}

/** S3-25: passes the request to the chosen agent exactly as the router received it. */
async function routeRequest(
  key: string,
  { reason }: DelegationRequest,
  { agent, run, parts }: { agent: string; run: RunJournal; parts: SpawnParts },
): Promise<ChildRequest> {
  const { task, contextFiles, attachments, input, team } = run.state.start!;
  const continues = team && (await previousRunOf({ agent, trigger: "route", key }, run, parts));
  return { key, trigger: "route", task, contextFiles, attachments, input, reason, team, continues };
}

/** Passes two kinds of messages to the chosen agent: the router's own message (the call's task), and the messages of the router's team. */
function routeContext(
  { task }: DelegationRequest,
  { continues }: ChildRequest,
  { run: { state, definition }, ids }: { run: RunJournal; ids: Ids },
): EventBody[] {
  const teamMessages = state.team.heard.map(
    (word): EventBody => ({ type: "CONTEXT_ADDED", payload: { ...word, source: "team" } }),
  );
  if (task === "" && state.opening === undefined) return teamMessages;
  const from = baseName(definition.name);
  const message = { heading: `MESSAGE FROM ${from}`, source: `${from} ${state.runId}`, text: task };
  const sections = task === "" ? [] : [message];
  const before = continues ? state.opening : state.opening && openingWithRequest(state.start!, state.opening);
  const text = openingText(state.start!, { before, sections, nonce: ids.nonce() });
  const payload = { id: "opening", source: "agent" as const, from, text, opening: true as const };
  return [{ type: "CONTEXT_ADDED", payload }, ...teamMessages];
}

/** The maximum length of a parent's conversation in its child's journal. A longer text could fill the child's context before the child starts. */
const LONGEST = 120_000;

/** The event with which the child receives a part of its parent's conversation. */
function parentContext(mode: ContextMode, asked: DelegationRequest, run: RunJournal, ids: Ids): EventBody[] {
  const conversation = textFor(mode, asked, run);
  if (conversation === undefined) return [];
  const { name: from } = run.definition;
  const text = `${INTRODUCTIONS[mode]}\n${markUntrusted(ids.nonce(), from, shorten(conversation))}`;
  const files = mode === "full" ? latestFiles(run) : {};
  return [{ type: "CONTEXT_ADDED", payload: { id: "parent", source: "parent", from, text, ...files } }];
}

/** The latest files of the parent's conversation, as many as one message can have. */
function latestFiles({ transcript }: RunJournal): { attachments?: Attachment[] } {
  let room = MAX_MESSAGE_BYTES;
  const files = promptMessages(transcript).flatMap(filesOf).slice(-MAX_MESSAGE_FILES).toReversed();
  const fitting = files.filter(({ bytes }) => {
    room -= bytes;
    return room >= 0;
  });
  const attachments = fitting.toReversed().map(({ type: _type, ...file }) => file);
  return attachments.length === 0 ? {} : { attachments };
}

const INTRODUCTIONS: Record<ContextMode, string> = {
  none: "",
  summary: "What your parent has done so far, in short:",
  selective: "What your parent's conversation says about the files that you were given:",
  full: "Your parent's conversation so far:",
};

function textFor(
  mode: ContextMode,
  { contextFiles = [] }: DelegationRequest,
  run: RunJournal,
): string | undefined {
  if (mode === "none") return undefined;
  if (mode === "summary") return run.state.brief?.text;
  const said = promptMessages(run.transcript).slice(0, -1).flatMap(lines);
  const chosen = mode === "full" ? said : aboutFiles(said, contextFiles);
  return chosen.length === 0 ? undefined : chosen.map(({ text }) => text).join("\n\n");
}

/** The lines that name one of the files, and the results of calls that name one, because a file's content seldom names the file. */
function aboutFiles(said: readonly Line[], files: readonly string[]): Line[] {
  const names = files.map((file) => file.trim().replace(/^\.\//, "")).filter((file) => file !== "");
  const isNamed = ({ text }: Line): boolean => names.some((file) => text.includes(file));
  const calls = new Set(said.filter(isNamed).flatMap(({ callId }) => callId ?? []));
  return said.filter((line) => isNamed(line) || (line.callId !== undefined && calls.has(line.callId)));
}

interface Line {
  text: string;
  /** Id of the call, for a call and for its result. */
  callId?: string;
}

/** One text for each message, call and result. Open calls are left out, because they are the child's task. */
function lines(message: PromptMessage): Line[] {
  if (message.role === "tool")
    return message.content.map(({ toolCallId: callId, toolName, output }) => {
      return { text: `[result of ${toolName}] ${plain(output.value)}`, callId };
    });
  return (message.content as MessagePart[]).flatMap((part): Line[] => {
    if (part.type === "text" && part.text) return [{ text: `[${message.role}] ${part.text}` }];
    if (part.type !== "tool-call") return [];
    return [{ text: `[call of ${part.toolName}] ${plain(part.input)}`, callId: part.toolCallId! }];
  });
}

interface MessagePart {
  type: string;
  text?: string;
  toolCallId?: string;
  toolName?: string;
  input?: unknown;
}

const plain = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

function shorten(text: string): string {
  if (text.length <= LONGEST) return text;
  const half = LONGEST / 2;
  return `${text.slice(0, half)}\n… (${text.length - LONGEST} characters left out) …\n${text.slice(-half)}`;
}
