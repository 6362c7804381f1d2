// The decision history: what people decided about calls, questions and budgets, the latest first.
// The store lists the decisions by an index. For each decision this reads at most three events of its journal, never the whole journal.

import { z } from "zod";
import { approvalId } from "../../ids.ts";
import type { EventOf, EventType, JournalEvent, Payload } from "../../journal/events.ts";
import { toolCallsOf } from "../../journal/message.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { ASK_USER, newCalls } from "../../projections/folds/tool-call.ts";
import { describeCall } from "../../projections/views/timeline.ts";
import type { DecisionRef, Store } from "../../stores/store.ts";
import type { ApiParts } from "../parts.ts";
import { unlessDamaged } from "../views/read-runs.ts";
import { route } from "./route.ts";
import { namedObject, nextCursor, pageFields } from "./schemas.ts";

const DECISIONS = ["approve", "edit", "reject", "answer", "expire"] as const;

export const DecisionsQuery = z.strictObject({
  /** Return only decisions of this person. */
  by: z.string().min(1).exactOptional(),
  tool: z.string().min(1).exactOptional(),
  agent: z.string().min(1).exactOptional(),
  /** The rule that asked, as the decision shows it. */
  rule: z.string().min(1).exactOptional(),
  decision: z.enum(DECISIONS).exactOptional(),
  /** A text that the call, the person's note or the answer must contain. */
  q: z.string().max(200).exactOptional(),
  ...pageFields,
});
export type DecisionsFilter = z.output<typeof DecisionsQuery>;

export const PastDecisionView = namedObject("PastDecision", {
  id: z.string(),
  runId: z.string(),
  /** Sequence number of the decision in the run's journal. */
  seq: z.int(),
  agent: z.string(),
  at: z.number(),
  by: z.string(),
  decision: z.enum(DECISIONS),
  /** True if `--yes` decided, and no person was asked. */
  automatic: z.literal(true).exactOptional(),
  /** The tool of the call. Absent if the decision is not about a call. */
  tool: z.string().exactOptional(),
  /** What the decision was about, in one line. */
  title: z.string(),
  /** The rule that asked. */
  rule: z.string().exactOptional(),
  note: z.string().exactOptional(),
  answer: z.string().exactOptional(),
  /** The rule that the person granted with the decision, beyond this call. */
  grant: z.string().exactOptional(),
});
export type PastDecisionView = z.infer<typeof PastDecisionView>;

export const Decisions = namedObject("Decisions", {
  decisions: z.array(PastDecisionView),
  nextCursor,
});

export const decisionRoutes = ({ store }: ApiParts) => [
  route.get(
    "/api/decisions",
    { summary: "What people decided, the latest first", query: DecisionsQuery, answer: Decisions },
    ({ query }) => listDecisions(store, query),
  ),
];

const PAGE = 50;
/** One request looks at no more decisions than this, however few of them match. Its cursor continues there. */
const MOST_LOOKED = 1_000;

export async function listDecisions(
  store: Store,
  { limit = PAGE, cursor, agent, ...filter }: DecisionsFilter,
): Promise<z.input<typeof Decisions>> {
  const decisions: PastDecisionView[] = [];
  let before = cursor === undefined ? undefined : Number(cursor);
  for (let looked = 0; looked < MOST_LOOKED; looked += PAGE) {
    const refs = await store.inbox.decisions(omitUndefined({ agent, before, limit: PAGE }));
    for (const ref of refs) {
      if (decisions.length === limit) return { decisions, nextCursor: String(before) };
      const view = await readDecision(store, ref);
      if (view && matches(view, filter)) decisions.push(view);
      before = ref.position;
    }
    if (refs.length < PAGE) return { decisions, nextCursor: undefined };
  }
  return { decisions, nextCursor: String(before) };
}

type Wanted = Omit<DecisionsFilter, "limit" | "cursor" | "agent">;

function matches(view: PastDecisionView, { q = "", ...exact }: Wanted): boolean {
  const isEqual = (["by", "tool", "rule", "decision"] as const).every(
    (key) => exact[key] === undefined || exact[key] === view[key],
  );
  if (!isEqual) return false;
  const text = [view.title, view.note, view.answer, view.rule, view.by].join("\n").toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Undefined if the events cannot be read. */
async function readDecision(store: Store, ref: DecisionRef): Promise<PastDecisionView | undefined> {
  const { runId, agent, seq } = ref;
  const decided = await readEvent(store, runId, seq, "APPROVAL_DECIDED");
  if (!decided) return undefined;
  const { itemId, by, decision, automatic, note, answer, grant } = decided.payload;
  const proposal =
    ref.proposal === undefined ? undefined : await readEvent(store, runId, ref.proposal, "TOOL_PROPOSED");
  const thought =
    ref.thought === undefined ? undefined : await readEvent(store, runId, ref.thought, "AGENT_THOUGHT");
  const { name: tool, rule } = proposal?.payload ?? {};
  const title = proposal ? callTitle(proposal, thought) : stopTitle(decided.payload);
  return {
    id: approvalId(runId, itemId),
    ...{ runId, seq, agent, at: decided.ts, by, decision, title },
    ...omitUndefined({ automatic, tool, rule, note, answer, grant }),
  };
}

async function readEvent<Type extends EventType>(
  store: Store,
  runId: string,
  seq: number,
  type: Type,
): Promise<EventOf<Type> | undefined> {
  const [event] = await unlessDamaged<JournalEvent[], JournalEvent[]>(
    () => store.journal.read(runId, seq - 1, 1),
    () => [],
  );
  return event?.type === type ? (event as EventOf<Type>) : undefined;
}

/** A decision that is not about a call: the run had stopped at a limit, repeated itself, or asked through its module. */
function stopTitle({ limits, decision }: Payload<"APPROVAL_DECIDED">): string {
  if (limits) return "A used-up budget";
  return decision === "answer" ? "A question of the run" : "A stopped run";
}

/** The call as the timeline names it. The input is in the model's answer, or in the proposal if an agent's module made the call. */
function callTitle(
  { payload: { toolCallId, name, input } }: EventOf<"TOOL_PROPOSED">,
  thought: EventOf<"AGENT_THOUGHT"> | undefined,
): string {
  const made =
    thought && newCalls(thought.payload.callId, toolCallsOf(thought.payload.content)).get(toolCallId);
  const used = input ?? made?.input;
  const question = name === ASK_USER ? (used as { question?: unknown } | undefined)?.question : undefined;
  return typeof question === "string" ? question : describeCall(name, used ?? {});
}
