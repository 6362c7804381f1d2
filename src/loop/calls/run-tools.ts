// Starts calls and records their results. If a call is not read-only, its start is on disk before the call begins.
// An approved call is checked once more right before it begins.

import { nestedInstructionText } from "../../agents/instructions/instruction-text.ts";
import { messageOf, throwIfTemporary } from "../../errors.ts";
import { toolCallKey } from "../../ids.ts";
import type { Attachment } from "../../journal/attachment.ts";
import type { InstructionFile } from "../../journal/definition.ts";
import type { EventBody, FileChanges, Payload } from "../../journal/events.ts";
import { isTooDeep, MAX_NESTING } from "../../journal/message.ts";
import { targetText } from "../../journal/tool-facts.ts";
import { revealHiddenInName } from "../../journal/visible.ts";
import { foldPath } from "../../key-files.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { toolResult } from "../../patterns/events.ts";
import { isOutcomeUnknown } from "../../projections/folds/approvals.ts";
import {
  describeEdit,
  describeRepeat,
  editOf,
  effectiveInput,
  isApproved,
  receiptField,
  type ToolCall,
} from "../../projections/folds/tool-call.ts";
import { boundOutput, CONTEXT_BYTES, readsSavedOutputs, savedOutputName } from "../../tools/answers.ts";
import type {
  AnyTool,
  CallNotes,
  EndWatch,
  Fingerprints,
  ToolAnswer,
  ToolContext,
} from "../../tools/tool.ts";
import { type NewFile, storeToolFiles } from "../attachments/store-files.ts";
import { activeTimeLeft } from "../drive/limits.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import { guardCalls } from "../hooks/run-hooks.ts";
import type { LoopParts } from "../parts.ts";
import { findCommandOutput, findCommands } from "./find-commands.ts";
import { applyHookAnswer, approvalHash, currentGrants, judgeCall } from "./judge.ts";
import { type ProbeParts, probeCall } from "./probe-call.ts";
import { previewCall, proposeToolCall } from "./propose.ts";
import { findSavedOutput } from "./saved-outputs.ts";
import { taintedWrites } from "./tree-writes.ts";

const TOOL_TIMEOUT_MS = 120_000;
/** Milliseconds that the loop waits for a tool that ignores its abort signal. */
const STOP_GRACE_MS = 5_000;
/** Maximum characters of an output that are stored. The model sees fewer. */
const KEPT_CHARACTERS = 1_000_000;

type ToolParts = Pick<
  LoopParts,
  | "authority"
  | "callRecords"
  | "clock"
  | "commands"
  | "digest"
  | "files"
  | "hooks"
  | "host"
  | "ids"
  | "judge"
  | "judgeShell"
  | "mask"
  | "mayBegin"
  | "nestedInstructions"
  | "offers"
  | "onDelta"
  | "pid"
  | "strangersFolder"
  | "store"
  | "tools"
  | "worker"
>;

export async function runTools(
  ids: readonly string[],
  run: RunJournal,
  parts: ToolParts,
  effects: AbortSignal,
): Promise<void> {
  const calls = ids.map((id) => run.state.calls.get(id)!);
  const edited = calls.filter(({ decision }) => decision?.decision === "edit");
  // If hooks ran now, `decide` must choose the next action again, because the hooks' answer is in the journal.
  if (edited.length > 0 && (await guardCalls(edited, run, parts, effects)) !== "nothing") return;
  const again = await staleProposals(calls, run, parts);
  if (again.length > 0) return run.record(...again);
  if (!parts.mayBegin()) return run.release();
  const claims = claimsOf(calls, run, parts);
  // Reading a large folder takes time. If it happened after the intents, a cancel or a crash in between would find calls that seem to have begun.
  const watches = await watchFiles(calls, run, parts);
  try {
    const intents = await Promise.all(calls.map((call) => intent(call, run, parts)));
    const refused = await run.beginWork(intents, claims.length > 0 ? { claims } : {});
    if (refused === "claimed") return run.record(claimedResult(calls[0]!, run.claimedBy!));
    if (refused) return;
    const told = await instructionsFor(calls, run, parts);
    // The calls are looked up again, because the fold might have been rebuilt.
    await Promise.all(
      ids.map((id) =>
        runCall(run.state.calls.get(id)!, { told: told.get(id), watches }, run, parts, effects),
      ),
    );
  } finally {
    await watches.endAll();
  }
}

/** The instruction files that these calls need and that the agent has not read yet. If several calls need the same file, the first call gets it. */
async function instructionsFor(
  calls: readonly ToolCall[],
  { state, definition }: RunJournal,
  parts: ToolParts,
): Promise<Map<string, InstructionFile[]>> {
  const found = new Map<string, InstructionFile[]>();
  const { instructions, runner, instructionFiles = [] } = definition;
  if (instructions === false || Array.isArray(instructions) || runner) return found;
  const known = new Set([...state.toldFiles, ...instructionFiles.map(({ file }) => file)]);
  for (const call of calls) {
    const fresh: InstructionFile[] = [];
    for (const path of placesOf(call, parts)) {
      const files = await parts.nestedInstructions(path, state.start!.workspace).catch(() => []);
      fresh.push(...files.filter(({ file }) => !known.has(file)));
      for (const { file } of fresh) known.add(file);
    }
    if (fresh.length > 0) found.set(call.id, fresh);
  }
  return found;
}

const MAX_PLACES = 30;

/** The files and folders that a call is about. Every word of a command is treated as a path, because a word that is no path does no harm. */
function placesOf(call: ToolCall, parts: ToolParts): string[] {
  const path = pathOf(call, parts);
  if (path !== undefined) return [path];
  const target = parts.tools.get(call.name)?.target;
  if (target?.kind !== "command") return [];
  const command = (effectiveInput(call) as Record<string, unknown>)[target.field];
  const words = typeof command === "string" ? command.split(/[\s;|&<>()'"`=,]+/) : [];
  const paths = [...new Set(words)].filter((word) => /^[\w./@+]/.test(word) && word !== "/");
  // After `cd x`, the other paths of the command are relative to x.
  const entered = words.flatMap((word, at) => (word === "cd" ? (words[at + 1] ?? []) : []));
  return [...paths, ...entered.flatMap((folder) => paths.map((word) => `${folder}/${word}`))].slice(
    0,
    MAX_PLACES,
  );
}

/** D6: the files that these calls change, if other runs of the tree could be working in the same folder. */
function claimsOf(calls: readonly ToolCall[], { state }: RunJournal, parts: ToolParts): string[] {
  const { parentRunId, worktree } = state.start!;
  if (worktree || (parentRunId === undefined && state.children.size === 0)) return [];
  return calls.flatMap((call) => {
    const path = pathOf(call, parts, "changes");
    return path === undefined ? [] : [plainPath(path)];
  });
}

/** The file of the workspace that a call names, if its tool reads or changes files. */
function pathOf(call: ToolCall, parts: ToolParts, use?: "changes"): string | undefined {
  const target = parts.tools.get(call.name)?.target;
  if (target?.kind !== "path" || (use && target.use !== use)) return undefined;
  const path = (effectiveInput(call) as Record<string, unknown>)[target.field];
  return typeof path === "string" ? path : undefined;
}

/** Normalises a path: `./src/../a.ts` becomes `a.ts`. Paths outside the workspace are refused elsewhere. */
function plainPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}

/** The model learns which run has claimed the file, and can do something else meanwhile. */
function claimedResult(
  call: ToolCall,
  { path, agent, runId }: NonNullable<RunJournal["claimedBy"]>,
): EventBody {
  const output = `${path} is being changed by ${agent} (run ${runId}), so nothing was done. Work on something else, or try again when it has ended.`;
  return toolResult(call.id, output, "denied");
}

/** Builds new proposals for calls whose approval or verdict is no longer valid. */
async function staleProposals(
  calls: readonly ToolCall[],
  run: RunJournal,
  parts: ToolParts,
): Promise<EventBody[]> {
  const doubtful = calls.filter((call) => call.decision || call.proposal!.seq <= run.seqWhenTaken);
  if (doubtful.length === 0) return [];
  const grants = await currentGrants(run, parts);
  const checked = await Promise.all(doubtful.map((call) => recheck(call, grants, run, parts)));
  return checked.flatMap((event) => event ?? []);
}

async function recheck(
  call: ToolCall,
  grants: Awaited<ReturnType<typeof currentGrants>>,
  run: RunJournal,
  parts: ToolParts,
): Promise<EventBody | undefined> {
  const tool = parts.tools.get(call.name);
  const proposal = call.proposal!;
  const round = (proposal.round ?? 1) + 1;
  if (!tool)
    return toolResult(call.id, `The tool ${call.name} is no longer there; nothing was done.`, "denied");
  const input = effectiveInput(call);
  const judged = applyHookAnswer(
    judgeCall(tool, input, proposal.effect, grants, run, parts),
    call,
    run.state,
  );
  if (judged.verdict === "deny") return proposeToolCall(call, round, grants, run, parts);
  if (proposal.verdict === "ask") {
    const { fingerprint } = await previewCall(tool, call.input, run);
    if (approvalHash(call.name, call.input, fingerprint, run, parts) === proposal.hash) return undefined;
    return call.started ? undefined : proposeToolCall(call, round, grants, run, parts);
  }
  if (judged.verdict !== "ask") return undefined;
  if (!call.started) return proposeToolCall(call, round, grants, run, parts);
  return proposal.afterCrash && !call.verdict ? withoutRepeat(proposal, judged.rule, round) : undefined;
}

/** P4: if a started command would now need approval, it is not repeated. Its outcome is unknown, and a person decides about it. */
function withoutRepeat(proposal: NonNullable<ToolCall["proposal"]>, rule: string, round: number): EventBody {
  const { seq: _seq, ts: _ts, afterCrash: _class, ...kept } = proposal;
  return { type: "TOOL_PROPOSED", payload: { ...kept, rule, round } };
}

async function intent(call: ToolCall, run: RunJournal, parts: ToolParts): Promise<EventBody> {
  const attempt = call.attempts + 1;
  const where = call.proposal!.effect === "read" ? {} : { host: parts.host, pid: parts.pid };
  const fingerprints = await fingerprintsOf(call, run, parts);
  return {
    type: "TOOL_STARTED",
    payload: {
      toolCallId: call.id,
      ...(attempt > 1 ? { attempt } : {}),
      ...where,
      ...omitUndefined({ fingerprints, notes: keepsNotes(call, parts) ? parts.callRecords?.id : undefined }),
      ...receiptField(call, parts),
    },
  };
}

/** Calls that only read need no notes, because they are repeated after a crash anyway. */
const keepsNotes = (call: ToolCall, { tools }: Pick<ToolParts, "tools">): boolean =>
  call.proposal!.effect !== "read" && tools.get(call.name)?.notes === true;

/**
 * Fingerprints of the files that a call changes, taken once before the first attempt.
 * The fingerprint is that of the version that the person approved or the model read.
 * If there is no such version, or if a person edited the call, the fingerprint is that of the current version.
 */
async function fingerprintsOf(
  call: ToolCall,
  { state }: RunJournal,
  parts: ToolParts,
): Promise<Fingerprints | undefined> {
  if (call.started) return call.started.fingerprints;
  const tool = parts.tools.get(call.name);
  const input = tool?.input.safeParse(effectiveInput(call));
  if (!tool?.fingerprints || !input?.success) return undefined;
  const { workspace } = state.start!;
  const found = await tool.fingerprints(input.data, { workspace }).catch((error: unknown) => {
    throwIfTemporary(error);
    return undefined;
  });
  if (!found) return undefined;
  const decided = call.decision?.decision;
  const known = decided === "approve" ? call.proposal!.fingerprint : state.seenFiles.get(found.path);
  return { ...found, before: (decided === "edit" ? undefined : known) ?? found.before };
}

async function runCall(
  call: ToolCall,
  { told, watches }: { told: readonly InstructionFile[] | undefined; watches: FileWatches },
  run: RunJournal,
  parts: ToolParts,
  effects: AbortSignal,
): Promise<void> {
  const attempt = call.attempts;
  const base = { toolCallId: call.id, ...(attempt > 1 ? { attempt } : {}) };
  if (run.state.cancel || effects.aborted || !parts.mayBegin()) {
    const output = "Not started: the run was stopped first.";
    run.record({ type: "TOOL_RESULT", payload: { ...base, output, isError: true, outcome: "not_started" } });
    return;
  }
  const tool = parts.tools.get(call.name)!;
  const from = parts.clock.elapsed();
  const { ms: limit, isRunTime } = timeFor(tool, run);
  const stop = deadline(effects, limit);
  const answer = await execute(tool, call, run, parts, stop);
  const took = Math.round(parts.clock.elapsed() - from);
  const changes = await watches.end(call.id);
  const isOver = isRunTime && stop.isOver();
  const ms = isOver ? Math.max(took, limit) : took;
  const stopped = isOver ? OUT_OF_TIME : effects.aborted ? FROM_OUTSIDE : undefined;
  // The output is masked before it is cut, because half a secret cannot be recognised.
  parts.mask.refresh();
  const { attachments: files = [], ...rest } = answer;
  const masked = parts.mask.value(noteStop(call, notePerson(call, rest), stopped));
  const stained = await strangersText(call, tool, masked, run, parts);
  const source = stained ?? (readsFiles(tool) ? parts.strangersFolder : undefined);
  if (source !== undefined) masked.untrusted ??= source;
  const saved = nameOfSavedOutput(call, run, parts);
  const result = await toToolResult(await attachFiles(masked, files, parts), parts, saved);
  const background = backgroundFacts(masked.background, parts);
  const payload = {
    ...base,
    ...withInstructions(result, told),
    ...omitUndefined({ background, changes }),
    ms,
  };
  const recorded: EventBody = { type: "TOOL_RESULT", payload };
  if (call.started?.notes === undefined) return run.record(recorded);
  run.recordThen(recorded, () => parts.callRecords?.forget(noteKey(run.runId, call)));
}

/** Whether the result of a tool contains text from files, or output of programs. A tool that Cadre knows nothing about might show both. */
const readsFiles = ({ target, sameAs, reaches }: AnyTool): boolean =>
  target?.kind === "command" || target?.kind === "path" || sameAs !== undefined || reaches === undefined;

interface FileWatches {
  /** Ends the watch of a call, and returns what the call changed. */
  end(callId: string): Promise<FileChanges | undefined>;
  /** Ends the watches of calls that did not run. */
  endAll(): Promise<void>;
}

/** Starts to watch the files that these calls can change, so that a person can take the changes back. */
async function watchFiles(
  calls: readonly ToolCall[],
  run: RunJournal,
  parts: Pick<ToolParts, "files" | "tools">,
): Promise<FileWatches> {
  const open = new Map<string, EndWatch>();
  for (const call of calls) {
    const end = await watchCall(call, run, parts);
    if (end) open.set(call.id, end);
  }
  const end = async (callId: string) => {
    const endWatch = open.get(callId);
    open.delete(callId);
    return endWatch?.();
  };
  return {
    end,
    async endAll() {
      for (const callId of open.keys()) await end(callId);
    },
  };
}

/** A call that names its file has only this file watched, a command the whole workspace. */
async function watchCall(
  call: ToolCall,
  { state }: RunJournal,
  { files, tools }: Pick<ToolParts, "files" | "tools">,
): Promise<EndWatch | undefined> {
  const { workspace } = state.start!;
  const tool = tools.get(call.name);
  if (!tool || call.proposal!.effect === "read") return undefined;
  if (tool.target?.kind === "path" && tool.target.use === "changes")
    return files.watch(workspace, targetText(tool.target, effectiveInput(call)), call.started?.fingerprints);
  return tool.target?.kind === "command" || worksOnFiles(tool) ? files.watch(workspace) : undefined;
}

/** Whether a tool works on this machine alone. For a tool of a service, reading the whole workspace would take long and find nothing. */
const worksOnFiles = ({ reaches }: AnyTool): boolean =>
  reaches !== undefined && !reaches.includes("network") && reaches.some((each) => each !== "runtime");

/**
 * The source of untrusted text that a run of this tree wrote into a file, or into its name, if the call's answer could show it.
 * That is so if the file is at, below or above the path of the call, or if the answer names the file.
 */
async function strangersText(
  call: ToolCall,
  tool: AnyTool,
  answer: TextAnswer,
  run: RunJournal,
  { store }: Pick<ToolParts, "store">,
): Promise<string | undefined> {
  const { target } = tool;
  if (!readsFiles(tool)) return undefined;
  const writes = (await taintedWrites(run, store)).filter(
    ({ source }) => !run.state.taint.sources.includes(source),
  );
  if (writes.length === 0) return undefined;
  const folder = `${run.state.start!.workspace}/`;
  const inFolder = (path: string): string =>
    foldPath(plainPath(path.startsWith(folder) ? path.slice(folder.length) : path));
  const isBlind = target?.kind === "path" && target.blind;
  const named = target?.kind === "path" ? targetText(target, effectiveInput(call)) : "";
  // The tool has resolved links in the paths of its answer.
  const resolved = [answer.seen, ...(answer.files ?? [])].flatMap((file) => file?.path ?? []);
  const paths = isBlind ? [] : [named, ...resolved].map(inFolder);
  const text = textOfOutput(answer);
  const isShown = (written: string | undefined): boolean => {
    if (written === undefined) return !isBlind;
    const path = inFolder(written);
    return (
      paths.some((one) => one === "" || path === one || path.startsWith(`${one}/`)) ||
      (!isBlind && text.includes(revealHiddenInName(plainPath(written))))
    );
  };
  return writes.find(({ path }) => isShown(path))?.source;
}

type ResultPayload = Omit<Payload<"TOOL_RESULT">, "toolCallId" | "attempt" | "ms">;

/** The instructions are added after the output was shortened, so they are never cut. */
function withInstructions(
  result: ResultPayload,
  files: readonly InstructionFile[] | undefined,
): ResultPayload {
  if (files === undefined) return result;
  const untrusted = result.untrusted ?? files.find(({ nonce }) => nonce !== undefined)?.file;
  const output = `${textOfOutput(result)}\n${nestedInstructionText(files)}`;
  return { ...result, output, told: files.map(({ file }) => file), ...omitUndefined({ untrusted }) };
}

const noteKey = (runId: string, { id, attempts }: ToolCall): string => `${runId}/${id}~${attempts}`;

/** This machine's notes about a call, if the call's start event refers to them. The answer in the notes is masked, as in the journal. */
function notesOf(
  call: ToolCall,
  { runId }: RunJournal,
  { callRecords, mask }: Pick<ToolParts, "callRecords" | "mask">,
): CallNotes | undefined {
  const notes = call.started?.notes;
  if (notes === undefined || !callRecords || notes !== callRecords.id) return undefined;
  const key = noteKey(runId, call);
  return {
    begin: () => callRecords.begin(key),
    end(answer) {
      mask.refresh();
      callRecords.end(key, mask.value(answer));
    },
  };
}

/** P4: closes the calls whose outcome this machine's notes or a probe of the effect proves. A person decides about the others. */
export async function recoverCalls(
  run: RunJournal,
  parts: ProbeParts & Pick<LoopParts, "callRecords" | "ids" | "mask">,
): Promise<void> {
  const { callRecords } = parts;
  const unknown = [...run.state.calls.values()].filter(
    (call) => isOutcomeUnknown(call) && call.started!.host === parts.host,
  );
  for (const call of unknown) {
    const { id: toolCallId, attempts } = call;
    const key = noteKey(run.runId, call);
    const base = { toolCallId, ...(attempts > 1 ? { attempt: attempts } : {}) };
    const hasNotes = callRecords !== undefined && call.started!.notes === callRecords.id;
    const found = hasNotes ? await callRecords.find(key) : undefined;
    if (found === "not begun") {
      const payload = { ...base, verdict: "run_again" as const, by: "cadre", note: NOT_BEGUN };
      await recordOutcome(run, [{ type: "OUTCOME_DECIDED", payload }]);
    } else if (found) {
      const { attachments: _, ...answer } = found;
      const payload = { ...base, ...(await toToolResult(answer, parts)) };
      run.recordThen({ type: "TOOL_RESULT", payload }, () => callRecords?.forget(key));
    } else await closeProven(call, base, run, parts);
    if (run.isOver) return;
  }
}

/** PB5: closes a call if a probe proves that it took effect, so no person needs to decide. Only the call's output is lost. */
async function closeProven(
  call: ToolCall,
  base: { toolCallId: string; attempt?: number },
  run: RunJournal,
  parts: ProbeParts & Pick<LoopParts, "ids" | "mask">,
): Promise<void> {
  if (call.started!.notes === undefined || !parts.tools.get(call.name)?.probe) return;
  const { found, evidence, isProof } = await probeCall(call, run.state, "cadre", parts);
  if (found !== "done" || !isProof) return;
  const seen = parts.mask.value({ found, evidence });
  const output = `It was done; the process ended before its output was kept. ${seen.evidence.join(" ")}`;
  const key = `probed/${parts.ids.nonce()}`;
  await recordOutcome(run, [
    { type: "OUTCOME_PROBED", payload: { ...base, ...seen, by: "cadre" }, key },
    { type: "OUTCOME_DECIDED", payload: { ...base, verdict: "happened", by: "cadre", output, note: PROVEN } },
  ]);
}

/** Appends the events. If the store refuses them because of a new signal, folds the signal and tries again. */
async function recordOutcome(run: RunJournal, events: EventBody[]): Promise<void> {
  while (!run.isOver && (await run.begin(events))) await run.view();
}

const NOT_BEGUN = "It had not begun when the process ended.";
const PROVEN = "Its effect was found.";

/** Adds the worker and the machine to the facts of a command that was just started. Later facts do not repeat them. */
const backgroundFacts = (facts: ToolAnswer["background"], { worker, host }: ToolParts) =>
  facts && (facts.command === undefined ? facts : { ...facts, worker, host });

/** Tells the model that a call was stopped. Unlike a failed call, a stopped call might have been carried out in part. */
function noteStop({ proposal }: ToolCall, answer: TextAnswer, why: string | undefined): TextAnswer {
  const isRead = proposal?.effect === "read";
  if (why === undefined || !answer.isError || (isRead && why === FROM_OUTSIDE)) return answer;
  const mind = isRead ? "" : ": some of it may have been done";
  return { ...answer, output: `${textOfOutput(answer)}\nIt was stopped ${why}${mind}.` };
}

const FROM_OUTSIDE = "from outside";
const OUT_OF_TIME = "because the run's time is over (`maxDuration`)";

/** Tells the model that a person changed the input, and why a person let the call run again. */
function notePerson(call: ToolCall, answer: TextAnswer): TextAnswer {
  const notes = [describeEdit(call), describeRepeat(call)].filter((note) => note !== undefined);
  return notes.length === 0
    ? answer
    : { ...answer, output: `${notes.join("\n")}\n\n${textOfOutput(answer)}` };
}

/** Milliseconds that a call may take: its tool's time, or what is left of the run's time. */
function timeFor(tool: AnyTool, { state }: RunJournal): { ms: number; isRunTime: boolean } {
  const own = tool.timeout ?? state.start!.limits.toolTimeout ?? TOOL_TIMEOUT_MS;
  const left = activeTimeLeft(state);
  return left < own ? { ms: left, isRunTime: true } : { ms: own, isRunTime: false };
}

async function execute(
  tool: AnyTool,
  call: ToolCall,
  run: RunJournal,
  parts: ToolParts,
  stop: Deadline,
): Promise<ToolAnswer> {
  const { workspace, parentRunId } = run.state.start!;
  const { runId } = run;
  const attempt = call.attempts;
  const mayShow = tool.searches ? await visibleFiles(tool, call, run, parts) : undefined;
  const output = parts.mask.stream((text) =>
    parts.onDelta({ type: "tool-output.delta", runId, callId: call.id, attempt, text }),
  );
  // A command can have changed the `.env` files since the last call. A tool that shows no file and reports no progress needs no look at them.
  const refreshOnce = once(() => parts.mask.refresh());
  const context: ToolContext = {
    mask(text) {
      refreshOnce();
      return parts.mask.lines(text);
    },
    workspace,
    runId,
    callId: call.id,
    attempt,
    // The proposal contains the effect of the original input. After a person's edit, the tool's declared effect applies instead.
    effect: editOf(call) ? tool.effect : call.proposal!.effect,
    ...(isApproved(call) ? { approved: true } : {}),
    key: toolCallKey(runId, call.id),
    nonce: () => parts.ids.nonce(),
    seenFiles: run.state.seenFiles,
    ...omitUndefined({ parentRunId, fingerprints: call.started?.fingerprints, mayShow }),
    ...omitUndefined({ notes: notesOf(call, run, parts) }),
    savedOutput: async (name) =>
      (await findCommandOutput(name, run, parts)) ?? findSavedOutput(name, run, parts),
    background: () => findCommands(run, parts),
    ...omitUndefined({ skills: run.definition.skills }),
    signal: stop.signal,
    progress(text) {
      run.noteActivity();
      refreshOnce();
      output.add(text);
    },
  };
  try {
    const input = tool.input.parse(effectiveInput(call));
    const answer = await Promise.race([tool.execute(input, context), stop.late]);
    return isTooDeep(answer.output) ? { ...answer, output: TOO_DEEP, isError: true } : answer;
  } catch (error) {
    return { output: `${tool.name} failed: ${messageOf(error)}`, isError: true };
  } finally {
    stop.clear();
    output.end();
  }
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}

const TOO_DEEP = `The call ran, but its output is lost: it is nested more than ${MAX_NESTING} levels deep.`;

/** The name under which the agent can read a long output. Undefined if the agent has no tool for it. */
function nameOfSavedOutput(call: ToolCall, { definition }: RunJournal, parts: ToolParts): string | undefined {
  return readsSavedOutputs(definition, parts) ? savedOutputName(call.id) : undefined;
}

/** Decides which files a search can show. Each file that it finds is judged as if the call had named the file. */
async function visibleFiles(
  tool: AnyTool,
  { proposal }: ToolCall,
  run: RunJournal,
  parts: ToolParts,
): Promise<(path: string) => boolean> {
  const grants = await currentGrants(run, parts);
  return (path) => {
    const { verdict, rule } = judgeCall(tool, { path }, "read", grants, run, parts);
    // A person has already approved the search itself. The same rule needs no second approval.
    return verdict === "allow" || (verdict === "ask" && rule === proposal?.rule);
  };
}

interface Deadline {
  signal: AbortSignal;
  late: Promise<ToolAnswer>;
  /** Whether the time was over before the call ended. */
  isOver(): boolean;
  clear(): void;
}

/** A signal that aborts when the run is stopped or the time is over. If the tool ignores the signal, the promise `late` gives its result. */
function deadline(effects: AbortSignal, ms: number): Deadline {
  let isOver = false;
  const controller = new AbortController();
  let resolveLate: (answer: ToolAnswer) => void = () => {};
  const late = new Promise<ToolAnswer>((resolve) => {
    resolveLate = resolve;
  });
  let grace: NodeJS.Timeout | undefined;
  const stop = (why: string): void => {
    controller.abort(new Error(why));
    grace = setTimeout(
      () => resolveLate({ output: `${why} It did not stop by itself.`, isError: true }),
      STOP_GRACE_MS,
    );
  };
  const onStop = (): void => stop("Stopped: the run was cancelled or the process is shutting down.");
  const timer = setTimeout(() => {
    isOver = true;
    stop(`Stopped after ${ms / 1000} s: the time limit.`);
  }, ms);
  effects.addEventListener("abort", onStop, { once: true });
  const clear = (): void => {
    clearTimeout(timer);
    clearTimeout(grace);
    effects.removeEventListener("abort", onStop);
  };
  return { signal: controller.signal, late, clear, isOver: () => isOver };
}

/** Stores the files of an answer. If a file cannot be attached, the answer says why. The call itself has not failed. */
async function attachFiles(
  answer: TextAnswer,
  files: readonly NewFile[],
  parts: Pick<LoopParts, "mask" | "store">,
): Promise<StoredAnswer> {
  if (files.length === 0) return answer;
  const { attachments, problems } = await storeToolFiles(files, parts);
  const notes = problems.map((problem) => `\n${problem}.`).join("");
  const output = notes === "" ? answer.output : `${textOfOutput(answer)}${notes}`;
  return { ...answer, output, ...(attachments.length > 0 ? { attachments } : {}) };
}

/** A tool's answer without its files. */
type TextAnswer = Omit<ToolAnswer, "attachments">;
type StoredAnswer = TextAnswer & { attachments?: Attachment[] };

const textOfOutput = ({ output }: { output?: unknown }): string =>
  typeof output === "string" ? output : JSON.stringify(output);

/** A tool that cuts its own answer can add this many characters, such as an exit code. Cadre does not cut such an answer again. */
const ADDED_CHARACTERS = 4_000;

/** Turns a tool's answer into a journal entry. A long answer is cut to fit the context, and the entry refers to the whole answer. */
export async function toToolResult(
  answer: StoredAnswer,
  { store }: Pick<LoopParts, "store">,
  savedAs?: string,
): Promise<ResultPayload> {
  const { isError, files, seen, ownChanges, stale, size, untrusted, sandbox, attachments } = answer;
  const flags = {
    ...(isError || stale ? { isError: true as const } : {}),
    ...(stale ? { outcome: "stale" as const } : {}),
    ...(files && files.length > 0 ? { files } : {}),
    ...omitUndefined({ seen, ownChanges, untrusted, sandbox, attachments }),
  };
  const text = typeof answer.output === "string" ? answer.output : undefined;
  const json = text ?? JSON.stringify(answer.output) ?? "null";
  const whole = answer.full ?? (json.length > CONTEXT_BYTES ? json : undefined);
  if (whole === undefined) return { output: text ?? JSON.parse(json), ...flags, ...omitUndefined({ size }) };
  const most = answer.full === undefined ? CONTEXT_BYTES : CONTEXT_BYTES + ADDED_CHARACTERS;
  const output = json.length > most ? boundOutput(json).text : json;
  const ref = await store.blobs.put(boundOutput(whole, KEPT_CHARACTERS).text).catch(() => undefined);
  const kept = answer.lost || whole.length > KEPT_CHARACTERS ? "its first and last part" : "the whole output";
  const note = ref === undefined || savedAs === undefined ? "" : `\n(${kept}: Read or Grep ${savedAs})`;
  return { output: `${output}${note}`, ...omitUndefined({ ref }), size: size ?? whole.length, ...flags };
}
