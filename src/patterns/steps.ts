// Decisions of the steps pattern: a module decides what its agent does next.
// The module is replayed with the answers from the journal for each decision (M1). The module's own state is never stored.
// The decisions in this file are about the step that is open now.
//  M3  One STEP_YIELDED event answers a step. The event is written after everything that the step requested is in the journal.
//  M4  Everything that a step starts has its own name (`s3.0`, `question/3`, `sleep/3`), so a crash starts nothing twice.

import { z } from "zod";
import type { EventBody, StopReason } from "../journal/events.ts";
import { omitUndefined } from "../omit-undefined.ts";
import type { RunState, ToolCall } from "../projections/folds/run-state.ts";
import type { Action, Ending, StepCall } from "./action.ts";
import { toolResult } from "./events.ts";
import { answerText } from "./opening.ts";
import type { DecisionView, Pattern, TakeTurn } from "./pattern.ts";
import {
  type CallAnswer,
  type DelegateArguments,
  type StepData,
  StepsReport,
  type TurnAnswer,
  type TurnsAnswer,
} from "./step-vocabulary.ts";
import { describeValue, replaySteps } from "./steps-replay.ts";
import { isTeamMember, teamTurn } from "./team-role.ts";

export const steps: Pattern = {
  next(view, now): Action | TakeTurn | undefined {
    const { state, definition } = view;
    // B3: after the agent's last turn the run ends with the result of that turn.
    if (state.latest?.purpose === "final" && isAfterLastStep(state, state.latest.seq)) return undefined;
    const module = usableModule(view);
    if ("type" in module) return module;
    const reached = replaySteps(module.main, definition.steps!.module, state);
    if (reached.type === "failed") return failRun("error", reached.why);
    if (reached.type === "returned") return endWithValue(reached.value, view);
    return doStep(reached, view, now);
  },

  /** Passes the agent's report, or its answer without a call, to the open step instead of ending the run. */
  onAnswer({ state, steps: module, definition }, ending): Action | undefined {
    if (ending.stopReason !== "final_answer" || !module || "problem" in module) return undefined;
    const reached = replaySteps(module.main, definition.steps!.module, state);
    if (reached.type !== "yielded") return undefined;
    const { summary, details, warnings, suggestions, output } = ending;
    const report: StepsReport = omitUndefined({ summary, details, warnings, suggestions, output });
    const open = [...state.calls.values()].filter(({ result }) => !result);
    const received = open.map(({ id }) => toolResult(id, RECEIVED));
    const answer: TurnAnswer | TurnsAnswer =
      reached.step.kind === "turns"
        ? { done: true, ...report }
        : omitUndefined({ ...turnAnswer(state), report: open.length > 0 ? report : undefined });
    return recordAnswer(reached, answer, received);
  },
};

/** The step that the module waits for. */
type Waiting = { index: number; step: StepData };

/** Returns the module if the run can use its current version. Otherwise returns an action that suspends the run. */
function usableModule({ state, definition, steps: module }: DecisionView) {
  const { module: name, hash } = definition.steps!;
  if (!module || "problem" in module) {
    const why = module?.problem ?? `The module ${name} was not loaded.`;
    return suspendForModule(why, []);
  }
  if (module.hash === hash || module.hash === state.steps.accepted) return module;
  return suspendForModule(
    `The module ${name} has changed since this run began. Nothing is lost: put it back as it was and resume the run, or resume it as it is, and it goes on with the new module if that agrees with what was done so far.`,
    [module.hash],
  );
}

/** `items` contains the hash of the changed module. By resuming the run, a person accepts that module. */
const suspendForModule = (detail: string, items: string[]): Action => ({
  type: "suspend",
  waitingOn: { kind: "definition_changed", items, detail },
  wakeAt: undefined,
});

function doStep(waiting: Waiting, view: DecisionView, now: number): Action | TakeTurn | undefined {
  const { index, step } = waiting;
  const { state } = view;
  switch (step.kind) {
    case "prompt": {
      const payload = { id: `step/${index}`, source: "steps" as const, text: step.arguments.text };
      return recordAnswer(waiting, null, [{ type: "CONTEXT_ADDED", payload }]);
    }
    case "turn":
      return takeOneTurn(waiting, state);
    case "turns":
      return takeTurns(waiting, step.arguments.max, state);
    case "tool": {
      const { name, input, hidden = false } = step.arguments;
      const made = [{ id: callId(index), name, input, hidden }];
      return makeCalls(waiting, made, state, ([call]) => callAnswer(call!));
    }
    case "delegate": {
      const made = [delegation(index, 0, step.arguments)];
      return makeCalls(waiting, made, state, ([call]) => childAnswer(call!));
    }
    case "parallel": {
      const made = step.arguments.delegates.map((wanted, place) => delegation(index, place, wanted));
      return makeCalls(waiting, made, state, (calls) => calls.map(childAnswer));
    }
    case "ask":
      return askPerson(waiting, step.arguments, state, now);
    case "sleep":
      return sleepUntil(waiting, step.arguments.time, state, now);
  }
}

const isAfterLastStep = ({ steps: record }: RunState, seq: number): boolean => seq > record.seq;

const hasTakenTurn = (state: RunState): boolean =>
  state.latest !== undefined && isAfterLastStep(state, state.latest.seq);

const hasOpenCalls = ({ calls }: RunState): boolean => [...calls.values()].some(({ result }) => !result);

function takeOneTurn(waiting: Waiting, state: RunState): Action | TakeTurn | undefined {
  if (!hasTakenTurn(state)) return { type: "take-turn" };
  return hasOpenCalls(state) ? undefined : recordAnswer(waiting, turnAnswer(state));
}

function takeTurns(
  waiting: Waiting,
  max: number | undefined,
  state: RunState,
): Action | TakeTurn | undefined {
  if (!hasTakenTurn(state)) return { type: "take-turn" };
  const taken = state.turns - state.steps.turns;
  if (max === undefined || taken < max || hasOpenCalls(state) || state.calls.size === 0) return undefined;
  const answer: TurnsAnswer = { done: false, summary: state.latest!.text.trim() };
  return recordAnswer(waiting, answer);
}

function turnAnswer({ latest, calls }: RunState): TurnAnswer {
  const made = [...calls.values()].map((call) => ({
    name: call.name,
    input: call.input,
    ...(call.result ? callAnswer(call) : { output: RECEIVED, isError: false }),
  }));
  return { text: latest!.text, calls: made };
}

const RECEIVED = "Received.";

const callId = (index: number, place = 0): string => `s${index}.${place}`;

/** Starts all calls of the step together, and only once. The step is answered when each call has its result. */
function makeCalls(
  waiting: Waiting,
  made: StepCall[],
  { calls }: RunState,
  answer: (calls: ToolCall[]) => unknown,
): Action | undefined {
  const existing = made.flatMap(({ id }) => calls.get(id) ?? []);
  if (existing.length === 0) return { type: "propose-made", calls: made };
  return existing.some(({ result }) => !result) ? undefined : recordAnswer(waiting, answer(existing));
}

function delegation(index: number, place: number, wanted: DelegateArguments): StepCall {
  const { agent, task, files, criteria, context, contextMode, model, maxTurns, hidden = false } = wanted;
  const input = omitUndefined({
    agent,
    task,
    context_files: files,
    success_criteria: criteria,
    context,
    context_mode: contextMode,
    model,
    maxTurns,
  });
  return { id: callId(index, place), name: "delegate", input, hidden };
}

const callAnswer = ({ result }: ToolCall): CallAnswer => ({
  output: result!.output,
  isError: result!.outcome !== "ok",
});

/** The child's result, or the reason why the child was not started. Both have the same form. */
function childAnswer({ result }: ToolCall): unknown {
  const { output } = result!;
  if (typeof output === "object" && output !== null && "child_run_id" in output) return output;
  return {
    status: "failed",
    summary: String(output),
    files_modified: [],
    files_created: [],
    tests_run: null,
    tests_passed: null,
    warnings: [],
    suggestions: [],
    iteration_count: 0,
    duration_ms: 0,
  };
}

function endWithValue(value: unknown, view: DecisionView): Action {
  const { state } = view;
  const given = typeof value === "string" ? { summary: value } : (value ?? lastReport(state));
  const report = StepsReport.safeParse(given);
  if (report.success) return { type: "end", ending: completedEnding(omitUndefined(report.data), view) };
  const why =
    value === undefined
      ? "The module has returned nothing, and its agent never reported."
      : `The module has returned ${describeValue(value)}: a text, or an object with a \`summary\`, is what a run ends with. ${z.prettifyError(report.error)}`;
  return failRun("invalid_output", why);
}

function lastReport({ steps: { answered } }: RunState): StepsReport | undefined {
  const last = answered.findLast(({ kind }) => kind === "turns")?.answer as TurnsAnswer | undefined;
  if (!last) return undefined;
  const { done: _, ...report } = last;
  return report;
}

/** K4: a team member's broadcasts and vote are valid, no matter how the module ends. */
function completedEnding(report: StepsReport, { state, definition }: DecisionView): Ending {
  const ending = { status: "completed", stopReason: "final_answer", ...report } as const;
  if (!isTeamMember(definition, state.start!)) return ending;
  return { ...ending, team: teamTurn(state, answerText(report)) };
}

const failRun = (stopReason: StopReason, summary: string): Action => ({
  type: "end",
  ending: { status: "failed", stopReason, summary } satisfies Ending,
});

/** M3: records the answer to the open step. `events` are appended together with it. */
function recordAnswer({ index, step }: Waiting, answer: unknown, events: EventBody[] = []): Action {
  const payload = { index, kind: step.kind, arguments: step.arguments, answer };
  return { type: "record", events: [...events, { type: "STEP_YIELDED", payload }] };
}

/** Waits for a person's answer. The wait is recorded in the journal and needs no process. */
function askPerson(
  waiting: Waiting,
  { question, choices }: { question: string; choices?: string[] | undefined },
  state: RunState,
  now: number,
): Action {
  const { attended, approvals, limits } = state.start!;
  const item = `question/${waiting.index}`;
  const decided = state.decisions.get(item);
  if (decided?.decision === "expire" && approvals.onTimeout === "fail")
    return failRun("approval_expired", `Nobody answered in time: ${question}`);
  if (decided) return recordAnswer(waiting, decided.answer ?? null);
  if (!attended && approvals.unattended === "fail")
    return failRun("error", `A question needs a person, and nobody is there: ${question}`);
  if (!attended && approvals.unattended === "reject") return recordAnswer(waiting, null);
  const at = state.steps.timers.get(item);
  const { approvalTimeout } = limits;
  if (at === undefined && attended && approvals.onTimeout !== "wait" && approvalTimeout !== undefined)
    return record({
      type: "TIMER_SET",
      payload: { id: item, at: now + approvalTimeout, purpose: "an answer" },
    });
  // After the timeout, the driver decides. Its event has the same key as a person's decision, so only one of the two is stored.
  if (at !== undefined && at <= now)
    return record({ type: "APPROVAL_DECIDED", payload: { itemId: item, decision: "expire", by: "cadre" } });
  const waitingOn = {
    kind: "question" as const,
    items: [item],
    detail: question,
    ...omitUndefined({ choices, until: at }),
  };
  return { type: "suspend", waitingOn, wakeAt: at };
}

function sleepUntil(waiting: Waiting, ms: number, state: RunState, now: number): Action {
  const id = `sleep/${waiting.index}`;
  const at = state.steps.timers.get(id);
  if (at === undefined)
    return record({ type: "TIMER_SET", payload: { id, at: now + ms, purpose: "its module" } });
  if (at <= now) return recordAnswer(waiting, null, [{ type: "TIMER_FIRED", payload: { id } }]);
  return { type: "suspend", waitingOn: { kind: "timer", items: [id], until: at }, wakeAt: at };
}

const record = (event: EventBody): Action => ({ type: "record", events: [event] });
