// Watches a running simulation: every commit, effect, model call and acknowledgement, at the moment when it happens.
// The watcher records each broken invariant. The simulation stops at the first one.

import type { RunId } from "../../src/ids.ts";
import {
  type EventBody,
  isProgress,
  type JournalEvent,
  keyOf,
  OUTCOME_TYPES,
  type Payload,
  TERMINAL_TYPES,
} from "../../src/journal/events.ts";
import { toolCallsOf } from "../../src/journal/message.ts";
import { applyUsage, emptyUsage, totalTokens } from "../../src/projections/usage/run-usage.ts";
import type { Append, AppendResult } from "../../src/stores/store.ts";
import type { ToolContext } from "../../src/tools/tool.ts";
import { type SimOptions, TOOLS, type ToolName } from "./options.ts";
import { PatternWatch } from "./pattern-watch.ts";
import { TreeWatch } from "./tree-watch.ts";

export interface SeenEffect {
  tool: ToolName;
  runId: RunId;
  callId: string;
  attempt: number;
  pid: number;
  input: string;
}

export class Watch {
  readonly problems: string[] = [];
  readonly effects: SeenEffect[] = [];
  private readonly journals = new Map<RunId, JournalEvent[]>();
  private readonly acknowledged: { runId: RunId; key: string; text: string }[] = [];
  /** E5: how often each run was driven alone since its last outcome. */
  private readonly alone = new Map<RunId, number>();
  private readonly tree: TreeWatch;
  private readonly patterns: PatternWatch;

  constructor({ runs, cast, concurrent }: SimOptions) {
    const plans = new Map([...runs, ...cast].map((plan) => [plan.agent, plan]));
    this.tree = new TreeWatch((name) => plans.get(name)?.team?.delegation, concurrent);
    this.patterns = new PatternWatch((name) => plans.get(name)?.patterns);
  }

  /** All runs, in the order in which they started. */
  get runIds(): RunId[] {
    return this.tree.runIds;
  }

  journal(runId: RunId): readonly JournalEvent[] {
    return this.journals.get(runId) ?? [];
  }

  trigger(runId: RunId): string | undefined {
    return this.start(runId)?.trigger;
  }

  /** True if the run continues an earlier run, which might have ended with unanswered calls in its prompt. */
  goesOn(runId: RunId): boolean {
    return this.start(runId)?.continues !== undefined;
  }

  problem(text: string): void {
    this.problems.push(text);
  }

  committed(events: readonly JournalEvent[]): void {
    for (const event of events) {
      const seen = this.journals.get(event.runId) ?? [];
      this.journals.set(event.runId, seen);
      const blamed = this.blames(event);
      if (blamed !== undefined) this.problem(`${blamed}: ${describe(event)}`);
      if (event.type === "RUN_SUSPENDED" || (OUTCOME_TYPES.has(event.type) && isProgress(event)))
        this.alone.delete(event.runId);
      for (const problem of wrongWith(event, seen)) this.problem(`${problem}: ${describe(event)}`);
      seen.push(event);
    }
    for (const problem of this.tree.committed(events)) this.problem(problem);
    for (const problem of this.patterns.committed(events)) this.problem(problem);
  }

  /** E5: called when a driver has recorded that it drives this run alone from now on, or that it begins the counter-check. */
  drivenAlone(runId: RunId): void {
    this.alone.set(runId, (this.alone.get(runId) ?? 0) + 1);
  }

  /** E5: a run is quarantined after it was driven alone three times without an outcome, and after a counter-check. */
  private blames({ runId, type, payload }: JournalEvent): string | undefined {
    const times = this.alone.get(runId) ?? 0;
    if (type === "RUN_SUSPENDED" && payload.waitingOn.kind === "quarantine" && times < 4)
      return `E5 quarantined after ${times} records of driving it alone`;
    return undefined;
  }

  /** I1: remembers every event that the store has acknowledged. */
  answered({ runId, events }: Append, { refused }: AppendResult): void {
    if (refused) return;
    for (const event of events) {
      this.acknowledged.push({ runId, key: nameOf(event), text: canonicalText(event.payload) });
    }
  }

  /** Checks an effect just before it happens: the intent is on disk, the exact input is allowed, and the effect has not happened before. */
  effect(tool: ToolName, what: string, context: ToolContext, pid: number): void {
    const { runId, callId, attempt } = context;
    const journal = this.journal(runId);
    const name = `${tool} ${runId}/${callId} attempt ${attempt}`;
    const start = journal.find(
      ({ type, payload }) =>
        type === "TOOL_STARTED" && payload.toolCallId === callId && (payload.attempt ?? 1) === attempt,
    );
    if (!start) this.problem(`L3 ${name} began before its intent was on disk`);
    else
      for (const problem of checkAuthorised(journal, start, callId, what))
        this.problem(`${problem}: ${name}`);
    const before = this.effects.filter((effect) => effect.runId === runId && effect.callId === callId);
    if (TOOLS[tool] === "idempotent" && before.length > 0) return;
    // Cadre itself may only report that a call had not begun. Repeating a call needs a person's decision.
    const again = journal.filter(
      ({ type, payload }) =>
        type === "OUTCOME_DECIDED" &&
        payload.toolCallId === callId &&
        payload.verdict === "run_again" &&
        payload.by !== "cadre",
    );
    if (TOOLS[tool] === "unsafe" && before.length > again.length)
      this.problem(`I4 ${name} happened again by itself`);
    this.effects.push({ tool, runId, callId, attempt, pid, input: what });
  }

  /** P3: the intent of a model call is on disk before the call. No driver repeats a call whose answer is recorded. */
  modelCall(intent: { runId: RunId; callId: string; attempt: number } | undefined): void {
    if (!intent) {
      this.problem("L3 a model was called without an intent");
      return;
    }
    const { runId, callId, attempt } = intent;
    const journal = this.journal(runId);
    const ended = journal.find(
      ({ type, payload }) =>
        (type === "AGENT_THOUGHT" || type === "MODEL_CALL_FAILED") &&
        payload.callId === callId &&
        (type === "AGENT_THOUGHT" || (payload.attempt ?? 1) >= attempt),
    );
    if (ended) this.problem(`P3 model call ${runId}/${callId} attempt ${attempt} was closed already`);
  }

  /** Finds effects that happened although the journal says that the call never began. */
  deniedEffects(): string[] {
    return this.effects
      .filter(({ runId, callId, attempt }) =>
        this.journal(runId).some(
          ({ type, payload }) =>
            type === "TOOL_RESULT" &&
            payload.toolCallId === callId &&
            payload.outcome === "not_started" &&
            (payload.attempt ?? 1) === attempt,
        ),
      )
      .map(
        ({ runId, callId }) => `I4 ${runId}/${callId} was done, and its result says that it was not started`,
      );
  }

  /** Finds results that say that a tool has worked, although it had no effect. */
  inventedResults(): string[] {
    const isDone = (runId: RunId, callId: string): boolean =>
      this.effects.some((effect) => effect.runId === runId && effect.callId === callId);
    return this.runIds.flatMap((runId) =>
      this.journal(runId).flatMap(({ type, payload }) => {
        if (type !== "TOOL_RESULT" || !String(payload.output).endsWith(": done")) return [];
        const { toolCallId } = payload;
        return isDone(runId, toolCallId)
          ? []
          : [`I4 ${runId}/${toolCallId} has a result that says that it was done, and it was not`];
      }),
    );
  }

  private start(runId: RunId): Payload<"RUN_STARTED"> | undefined {
    const [first] = this.journal(runId);
    return first?.type === "RUN_STARTED" ? first.payload : undefined;
  }

  /** I1: events that were acknowledged, but are now missing from the journals. */
  async missing(read: (runId: RunId) => Promise<JournalEvent[]>): Promise<string[]> {
    const texts = new Map<string, string>();
    for (const runId of new Set(this.acknowledged.map((fact) => fact.runId))) {
      for (const event of await read(runId))
        texts.set(`${runId} ${nameOf(event)}`, canonicalText(event.payload));
    }
    return this.acknowledged
      .filter(({ runId, key, text }) => texts.get(`${runId} ${key}`) !== text)
      .map(({ runId, key }) => `I1 ${key} of ${runId} was acknowledged and is not there`);
  }
}

function* wrongWith(event: JournalEvent, before: readonly JournalEvent[]): Generator<string> {
  const { type, payload, seq } = event;
  if (seq !== before.length + 1) yield `I2 seq ${seq} after ${before.length} events`;
  if (before.some((other) => TERMINAL_TYPES.has(other.type))) yield "I6 after the end";
  const cancelled = before.some((other) => other.type === "CANCEL_REQUESTED");
  if (cancelled && (type === "TOOL_STARTED" || type === "MODEL_CALL_STARTED"))
    yield "I7 begun after a cancel";
  const name = nameOf(event);
  if (before.some((other) => nameOf(other) === name)) yield `J1 ${name} a second time`;
  if ("ms" in payload && (payload.ms ?? 0) < 0) yield "F36 a negative duration";
  if (type === "AGENT_THOUGHT" || type === "MODEL_CALL_FAILED") {
    const { callId, attempt = 1 } = payload;
    const begun = before.some(
      (other) =>
        other.type === "MODEL_CALL_STARTED" &&
        other.payload.callId === callId &&
        (other.payload.attempt ?? 1) === attempt,
    );
    if (!begun) yield "J3 an outcome without its intent";
  }
  if (type === "MODEL_CALL_STARTED") yield* wrongWithCall(before, payload.purpose === "brief");
  if (
    type === "RUN_COMPLETED" &&
    payload.stopReason === "final_answer" &&
    payload.unseen &&
    !isClosing(before) &&
    !usesBestOf(before)
  ) {
    yield "J11 completed with context that the model never saw";
  }
}

/** D2: true if the run had its answer and only waited for its children. */
const isClosing = (before: readonly JournalEvent[]): boolean =>
  before.some(({ type, payload }) => type === "RUN_SUSPENDED" && payload.waitingOn.closing === true);

/** H5: true if the run uses best of n. Such a run makes no model calls of its own. Messages to it become part of its result instead. */
const usesBestOf = (before: readonly JournalEvent[]): boolean =>
  before.some(({ type, payload }) => type === "CHILD_RUN_STARTED" && payload.trigger === "best_of");

/** Returns the payload as text with sorted keys, because the store returns the keys in the order of the schema. */
function canonicalText(payload: object): string {
  return JSON.stringify(payload, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
      : value,
  );
}

/** Types of events that can repeat with a different key. An event of any other type can occur only once. */
const OWN_KEYS: ReadonlySet<string> = new Set([
  "RUN_SUSPENDED",
  "RUN_RESUMED",
  "LIMIT_REACHED",
  "BUDGET_SET",
]);

function nameOf(event: EventBody): string {
  return keyOf(
    OWN_KEYS.has(event.type) ? event : ({ type: event.type, payload: event.payload } as EventBody),
  );
}

/** Checks a run before a model call: each tool call of the last answer has a result (F11), and the run is within its budget (I9). */
function* wrongWithCall(before: readonly JournalEvent[], isBrief: boolean): Generator<string> {
  const thought = isBrief ? undefined : before.findLast(({ type }) => type === "AGENT_THOUGHT");
  if (thought?.type === "AGENT_THOUGHT") {
    const calls = toolCallsOf(thought.payload.content).map(
      (_, index) => `${thought.payload.callId}.${index}`,
    );
    for (const id of calls) {
      if (!before.some((other) => resultOf(other) === id)) yield `F11 ${id} has no result`;
    }
  }
  const spent = before.reduce(applyUsage, emptyUsage());
  const budget = budgetIn(before);
  if (totalTokens(spent) > budget.maxTokens)
    yield `I9 ${totalTokens(spent)} of ${budget.maxTokens} tokens spent`;
  if (spent.cost > budget.maxCost + 1e-9) yield `I9 ${spent.cost} of ${budget.maxCost} dollars spent`;
}

/** D0: the end of a child is the result of the call that waits for the child. */
function resultOf({ type, payload }: JournalEvent): string | undefined {
  if (type === "TOOL_RESULT") return payload.toolCallId;
  return type === "CHILD_RUN_COMPLETED" ? payload.key : undefined;
}

function budgetIn(journal: readonly JournalEvent[]): { maxTokens: number; maxCost: number } {
  const budget = { maxTokens: Infinity, maxCost: Infinity };
  for (const { type, payload } of journal) {
    if (type === "RUN_STARTED") {
      const { maxTokens, maxCost } = payload.limits;
      budget.maxTokens = maxTokens ?? Infinity;
      budget.maxCost = maxCost ?? Infinity;
    }
    const isSet = type === "BUDGET_SET" || type === "APPROVAL_DECIDED";
    if (isSet && payload.limits && payload.scope !== "tree") {
      budget.maxTokens = payload.limits.maxTokens ?? budget.maxTokens;
      budget.maxCost = payload.limits.maxCost ?? budget.maxCost;
    }
  }
  return budget;
}

/** I8: a call runs only with an input that the rules allowed, or that a person saw or wrote. */
function* checkAuthorised(
  journal: readonly JournalEvent[],
  start: JournalEvent,
  callId: string,
  what: string,
): Generator<string> {
  const past = journal.filter(({ seq }) => seq < start.seq);
  const proposal = past.findLast(
    ({ type, payload }) => type === "TOOL_PROPOSED" && payload.toolCallId === callId,
  );
  if (proposal?.type !== "TOOL_PROPOSED") return yield "I8 never proposed";
  const { verdict, round = 1 } = proposal.payload;
  if (verdict === "deny") yield "I8 denied, and done";
  const item = round === 1 ? callId : `${callId}~${round}`;
  const decision = past.find(({ type, payload }) => type === "APPROVAL_DECIDED" && payload.itemId === item);
  const decided = decision?.type === "APPROVAL_DECIDED" ? decision.payload : undefined;
  if (verdict === "ask" && decided?.decision !== "approve" && decided?.decision !== "edit")
    yield "I8 not approved";
  if (decided && decided.hash !== proposal.payload.hash) yield "I8 approved for another hash";
  const input =
    verdict === "ask" && decided?.decision === "edit" ? decided.input : proposedInput(past, callId);
  if ((input as { what?: unknown } | undefined)?.what !== what)
    yield `I8 ran ${what} in place of ${JSON.stringify(input)}`;
}

function proposedInput(journal: readonly JournalEvent[], callId: string): unknown {
  const [modelCall, index] = callId.split(".");
  const thought = journal.find(
    ({ type, payload }) => type === "AGENT_THOUGHT" && payload.callId === modelCall,
  );
  return thought?.type === "AGENT_THOUGHT"
    ? toolCallsOf(thought.payload.content)[Number(index)]?.input
    : undefined;
}

export const describe = ({ runId, seq, type, key }: JournalEvent): string =>
  `${runId} #${seq} ${type} ${key}`;
