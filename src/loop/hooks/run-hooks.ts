// Runs the hooks of a project at the moments of a run. Every moment has an id and happens once.
//  L3  HOOKS_STARTED is appended before the first command starts.
//  HOOKS_ENDED records the answer before the answer has an effect. Recorded hooks never run again.
//  If a crash left hooks open, their answer is recorded as `interrupted`: a call that they guarded then needs a person.

import type { EventBody, HookEvent, Payload } from "../../journal/events.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { Ending } from "../../patterns/action.ts";
import { systemNote } from "../../patterns/events.ts";
import { type HookRecord, hasEnded, type RunState } from "../../projections/folds/run-state.ts";
import { effectiveInput, type ToolCall } from "../../projections/folds/tool-call.ts";
import { boundOutput } from "../../tools/answers.ts";
import { beforeCall } from "../calls/judge.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";
import { combineAnswers, readAnswer } from "./read-answer.ts";

/** One moment of a run at which hooks may run. */
interface Moment {
  id: string;
  event: HookEvent;
  toolCallId?: string;
  /** A hook with a matcher runs only if the matcher fits one of these names. */
  names?: readonly string[];
  /** Input of the hooks, in addition to the fields that all hooks get. */
  input: object;
  /** Whether the agent reads why a hook objects. */
  tellsAgent: boolean;
}

export type HookParts = Pick<LoopParts, "hooks" | "mayBegin" | "tools">;

/** Maximum characters of a hook's text for the agent, and of its output in the journal. */
const MAX_CONTEXT = 10_000;
const MAX_RECORDED = 2_000;
/** How often the hooks can keep a run from ending. */
const MAX_BLOCKED_ENDS = 8;

type Ran = "nothing" | "ran" | "refused";

/** Runs the hooks that are due before the next decision: at the start of the run, and after calls that have succeeded. */
export async function runDueHooks(run: RunJournal, parts: HookParts, effects: AbortSignal): Promise<boolean> {
  const { state } = run;
  if (state.cancel || state.status === "suspended" || hasEnded(state.status)) return false;
  const finished = [...state.calls.values()].filter(
    ({ result, proposal }) => result?.outcome === "ok" && proposal && proposal.basis !== "recorded",
  );
  const moments = [...openingMoments(state), ...finished.map((call) => afterCall(call, run, parts))];
  return (await runMoments(moments, run, parts, effects)) !== "nothing";
}

/** The moments at the start of a run. A fork has none, because its conversation has already begun. A retry has no new prompt. */
function openingMoments({ start, modelCalls, calls, children, runner }: RunState): Moment[] {
  const { parentRunId, task, fork, trigger, continues } = start!;
  const hasBegun = modelCalls > 0 || calls.size > 0 || children.size > 0 || runner.started !== undefined;
  if (hasBegun || fork) return [];
  if (parentRunId !== undefined)
    return [moment("SubagentStart", "SubagentStart", { prompt: task }, [start!.agent])];
  const source = continues ? "resume" : "startup";
  return [
    moment("SessionStart", "SessionStart", { source }, [source]),
    ...(trigger === "retry" ? [] : [moment("UserPromptSubmit", "UserPromptSubmit", { prompt: task })]),
  ];
}

const moment = (id: string, event: HookEvent, input: object, names?: readonly string[]): Moment => ({
  ...{ id, event, input, tellsAgent: false },
  ...omitUndefined({ names }),
});

/** Runs the hooks that guard these calls. Returns "refused" if another event was appended first; then the caller decides again. */
export function guardCalls(
  calls: readonly ToolCall[],
  run: RunJournal,
  parts: HookParts,
  effects: AbortSignal,
): Promise<Ran> {
  const moments = calls.map(
    (call): Moment => ({
      id: beforeCall(call),
      event: "PreToolUse",
      ...aboutCall(call, run, parts),
      tellsAgent: false,
    }),
  );
  return runMoments(moments, run, parts, effects);
}

function afterCall(call: ToolCall, run: RunJournal, parts: HookParts): Moment {
  const { input, ...about } = aboutCall(call, run, parts);
  const response = { ...input, tool_response: call.result!.output };
  return { id: `PostToolUse/${call.id}`, event: "PostToolUse", ...about, input: response, tellsAgent: true };
}

/** Claude Code's names for tools that have another name in Cadre. */
const CLAUDE_NAMES: Readonly<Record<string, readonly string[]>> = {
  delegate: ["Agent", "Task"],
  AskUser: ["AskUserQuestion"],
};

function aboutCall(call: ToolCall, { state }: RunJournal, { tools }: Pick<HookParts, "tools">) {
  const tool = tools.get(call.name);
  const name = tool?.name ?? call.proposal?.name ?? call.name;
  const input = effectiveInput(call);
  const target = tool?.target;
  const path =
    target?.kind === "path" ? (input as Record<string, unknown> | null)?.[target.field] : undefined;
  // Claude Code's hooks read the absolute path of a file from `file_path`.
  const file =
    typeof path !== "string"
      ? {}
      : { file_path: path.startsWith("/") ? path : `${state.start!.workspace}/${path}` };
  const shown = typeof input === "object" && input !== null ? { ...file, ...input } : input;
  return {
    toolCallId: call.id,
    names: [name, ...(CLAUDE_NAMES[name] ?? [])],
    input: { tool_name: name, tool_input: shown, tool_use_id: call.id },
  };
}

/** Runs the hooks at the end of a run. True if they ran now: they might have given the agent more to do, so the caller decides again. */
export async function runEndHooks(
  ending: Ending,
  run: RunJournal,
  parts: HookParts,
  effects: AbortSignal,
): Promise<boolean> {
  const { state, definition } = run;
  const { status, stopReason, summary } = ending;
  if (status === "cancelled" || stopReason === "handed_off" || stopReason === "routed") return false;
  const event = state.start!.parentRunId !== undefined ? "SubagentStop" : "Stop";
  const blocked = [...state.hooks.values()].filter(
    (hook) => hook.event === event && hook.decision === "block",
  ).length;
  const mayGoOn =
    status === "completed" && stopReason === "final_answer" && !definition.steps && !state.isClosing;
  const end: Moment = {
    ...moment(`${event}/${state.turns}`, event, {
      stop_hook_active: blocked > 0,
      last_assistant_message: summary,
      status,
      stop_reason: stopReason,
    }),
    tellsAgent: mayGoOn && blocked < MAX_BLOCKED_ENDS,
  };
  return (await runMoments([end], run, parts, effects)) !== "nothing";
}

async function runMoments(
  moments: readonly Moment[],
  run: RunJournal,
  parts: HookParts,
  effects: AbortSignal,
): Promise<Ran> {
  const due = moments
    .filter(({ id }) => !run.state.hooks.has(id))
    .map((each) => ({ moment: each, hooks: parts.hooks.find(each.event, each.names) }))
    .filter(({ hooks }) => hooks.length > 0);
  if (due.length === 0) return "nothing";
  if (!parts.mayBegin()) {
    await run.release();
    return "refused";
  }
  const intents = due.map(({ moment: { id, event, toolCallId }, hooks }): EventBody => {
    const commands = hooks.map(({ command }) => command);
    return { type: "HOOKS_STARTED", payload: { id, event, commands, ...omitUndefined({ toolCallId }) } };
  });
  if (await run.begin(intents)) return "refused";
  const outcomes = await Promise.all(
    due.map(({ moment: each, hooks }) => runOne(each, hooks, run, parts, effects)),
  );
  run.record(...outcomes.flat());
  return "ran";
}

async function runOne(
  { id, event, toolCallId, input, tellsAgent }: Moment,
  hooks: ReturnType<LoopParts["hooks"]["find"]>,
  run: RunJournal,
  parts: HookParts,
  effects: AbortSignal,
): Promise<EventBody[]> {
  const { runId, state, definition } = run;
  const { workspace: cwd, sessionId, rootRunId } = state.start!;
  const common = {
    session_id: sessionId ?? rootRunId,
    run_id: runId,
    agent_type: definition.name,
    cwd,
    permission_mode: "default",
    hook_event_name: event,
  };
  const at = { cwd, runId, signal: effects };
  const ran = await Promise.all(hooks.map((hook) => parts.hooks.run(hook, { ...common, ...input }, at)));
  const answers = ran.map((each, index) => ({
    command: hooks[index]!.command,
    answer: readAnswer(event, each),
  }));
  const { decision, reason, context } = combineAnswers(answers);
  const payload: Payload<"HOOKS_ENDED"> = {
    ...{ id, event },
    ...omitUndefined({ toolCallId, decision, reason: reason && boundOutput(reason, MAX_CONTEXT).text }),
    ...(effects.aborted ? { interrupted: true as const } : {}),
    runs: ran.map(({ code, problem, stdout, stderr, ms }, index) => {
      const output = [stdout, stderr].filter((text) => text.trim() !== "").join("\n");
      return {
        command: hooks[index]!.command,
        ...omitUndefined({ code, problem, output: output && boundOutput(output, MAX_RECORDED).text }),
        ms,
      };
    }),
  };
  const objection =
    decision === "block" && tellsAgent
      ? `${OBJECTIONS[event] ?? "It objects"}:\n${payload.reason}`
      : undefined;
  const words = [objection, context].filter((text) => text !== undefined).join("\n\n");
  const note = `A hook of this project (${event}) says:\n${boundOutput(words, MAX_CONTEXT).text}`;
  return [{ type: "HOOKS_ENDED", payload }, ...(words === "" ? [] : [systemNote(`hook/${id}`, note)])];
}

const OBJECTIONS: Partial<Record<HookEvent, string>> = {
  PostToolUse: "It objects to the result of your call",
  Stop: "You cannot end yet",
  SubagentStop: "You cannot end yet",
};

/** The outcome of hooks that a crash left open. They might have done something, so they are not run again. */
export function cutOffHooks(id: string, { event, toolCallId }: HookRecord): EventBody {
  const decision = event === "PreToolUse" ? ("ask" as const) : undefined;
  const payload: Payload<"HOOKS_ENDED"> = {
    ...{ id, event, reason: CUT_OFF, interrupted: true, runs: [] },
    ...omitUndefined({ toolCallId, decision }),
  };
  return { type: "HOOKS_ENDED", payload };
}

const CUT_OFF =
  "The process ended while the hooks ran, so their answer is not known. They may have done a part of their work, and are not run again.";
