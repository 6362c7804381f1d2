// The routes of contract S0: `/runs`, prompts and agent types. They show the same runs under the names of contract S0.

import { z } from "zod";
import { CadreError } from "../../errors.ts";
import { approvalId, toolCallId } from "../../ids.ts";
import type { JournalEvent, RunStatus } from "../../journal/events.ts";
import { type ToolCallPart, toolCallsOf } from "../../journal/message.ts";
import { decideApproval, resumeRun } from "../../loop/commands/person-commands.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { type RunRow, SELF_RESUMING } from "../../projections/folds/run-row.ts";
import type { Store } from "../../stores/store.ts";
import type { RouteParts } from "../parts.ts";
import type { Encoder } from "../server/hub.ts";
import { journalEncoder, resumePosition, streamEvents } from "../server/sse.ts";
import { findRun } from "../views/read-runs.ts";
import { checkDecision } from "./approvals.ts";
import { routesWith } from "./route.ts";
import { PageQuery, Started } from "./schemas.ts";

const FIRST_TYPE = "orchestrator";

export const OpsStart = z.strictObject({
  prompt: z.string().trim().min(1),
  agentType: z.string().min(1).default(FIRST_TYPE),
});

export const OpsRun = z.object({
  id: z.string(),
  prompt: z.string(),
  user_id: z.string().nullable(),
  status: z.enum(["pending", "running", "suspended", "completed", "failed"]),
  current_step: z.int(),
  agent_type: z.string(),
  parent_run_id: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});

export const OpsEvent = z.object({
  id: z.int(),
  run_id: z.string(),
  sequence: z.int(),
  event_type: z.string(),
  payload: z.unknown(),
  created_at: z.string(),
});

export const OpsResume = z.strictObject({
  decision: z.enum(["approved", "rejected", "approve", "reject"]),
  feedback: z.string().exactOptional(),
});

const Refused = z.object({ error: z.string() });

export function opsContractRoutes(parts: RouteParts) {
  const { store, who } = parts;
  return [
    ops.post(
      "/runs",
      { summary: "Start a run (S0)", body: OpsStart, answer: Started, status: 201, idempotent: true },
      async ({ body: { prompt, agentType }, idempotencyKey }, c) => {
        const agent = await knownType(parts, agentType);
        const start = { agent, task: prompt, attended: true, userId: who(c.req.raw) };
        const { runId } = await parts.admit(start, idempotencyKey);
        return { runId };
      },
    ),
    ops.get(
      "/runs",
      {
        summary: "Runs, newest first (S0)",
        query: PageQuery,
        answer: z.object({ runs: z.array(OpsRun), nextCursor: z.string().optional() }),
      },
      async ({ query }) => {
        const { runs, nextCursor } = await store.runs.list(query);
        return { runs: runs.map(opsRun), nextCursor };
      },
    ),
    ops.get("/runs/{id}", { summary: "One run (S0)", answer: OpsRun }, async ({ params }) =>
      opsRun(await findRun(store, params.id)),
    ),
    ops.get(
      "/runs/{id}/events",
      {
        summary: "A run's events, as rows or as a stream (S0)",
        answer: z.object({ events: z.array(OpsEvent) }),
        media: ["text/event-stream"],
      },
      async ({ params }, c) => {
        const accept = c.req.header("Accept") ?? "";
        if (!accept.includes("text/event-stream")) {
          const { id } = await findRun(store, params.id);
          const form = createOpsForm();
          return { events: (await store.journal.read(id)).flatMap((event) => form.row(event) ?? []) };
        }
        const place = await resumePosition(store, c.req.header("Last-Event-ID"), undefined);
        const { id, endedAt } = await findRun(store, params.id);
        const until = { runId: id, ended: endedAt !== undefined };
        const scope = { runs: new Set([id]), tree: false };
        const channel = { key: `ops ${id}`, scope, encoder: () => opsEncoder(store) };
        return streamEvents(c, parts, { channel, of: { run: id }, ...place, until });
      },
    ),
    ops.post(
      "/runs/{id}/resume",
      {
        summary: "Decide what a run, or a child that blocks it, waits for (S0)",
        body: OpsResume,
        answer: z.object({ success: z.literal(true) }),
      },
      async ({ params, body }, c) => {
        await resume(await findRun(store, params.id), body, who(c.req.raw), parts);
        return { success: true as const };
      },
    ),
  ];
}

/** S0-70: a type is an agent of the project or the user. If there is no such agent, it is the agent in the ops pack. */
async function knownType({ agents }: RouteParts, type: string): Promise<string> {
  const known = (await agents()).agents;
  const isOwn = known.get(type)?.scope !== "builtin";
  const name = [...(isOwn ? [type] : []), `ops/${type}`].find((each) => known.get(each)?.definition);
  if (name === undefined) throw new CadreError("AGENT_NOT_FOUND", "Invalid agent type");
  return name;
}

async function resume(
  row: RunRow,
  { decision, feedback }: z.output<typeof OpsResume>,
  by: string,
  parts: RouteParts,
): Promise<void> {
  const { store, people } = parts;
  const blocking = await blockerOf(store, row);
  if (blocking.waitingOn?.kind === "paused") return resumeRun(blocking.id, by, people);
  const [item] = await store.inbox.openItems({ run: blocking.id });
  if (!item) throw new CadreError("CONFLICT", `Run ${row.id} waits for no decision. Nothing was changed.`);
  const approves = decision.startsWith("approve");
  const word =
    item.kind === "question" && approves
      ? { decision: "answer" as const, answer: feedback ?? "yes" }
      : {
          decision: approves ? ("approve" as const) : ("reject" as const),
          ...omitUndefined({ note: feedback }),
        };
  const id = approvalId(blocking.id, item.itemId);
  await checkDecision(id, word, parts);
  await decideApproval(id, word, by, people);
}

/** Returns the descendant that waits for a person. If no descendant blocks the run, returns the run itself. */
async function blockerOf(store: Store, row: RunRow): Promise<RunRow> {
  const [below] = row.waitingOn?.kind === "child_hitl" ? (row.waitingOn.blockers ?? []) : [];
  return (below === undefined ? undefined : await store.runs.get(below)) ?? row;
}

const STATUS: Record<RunStatus, z.infer<typeof OpsRun>["status"]> = {
  pending: "pending",
  running: "running",
  waiting: "running",
  suspended: "suspended",
  completed: "completed",
  failed: "failed",
  cancelled: "failed",
};

const opsRun = (row: RunRow): z.infer<typeof OpsRun> => ({
  id: row.id,
  prompt: row.task,
  user_id: row.userId ?? null,
  status: STATUS[row.status],
  current_step: row.turns,
  agent_type: agentType(row.agent),
  parent_run_id: row.parentRunId ?? null,
  created_at: new Date(row.createdAt).toISOString(),
  updated_at: new Date(row.updatedAt).toISOString(),
});

/** The name of an agent of the ops pack, without the pack. */
const agentType = (agent: string): string => agent.replace(/^ops\//, "");

/** Encodes rows of one run. A reader that continues between an answer and its calls needs the answer, which is then read again. */
function opsEncoder(store: Store): Encoder {
  const form = createOpsForm();
  return {
    ...journalEncoder(store, form.row),
    prepare(events) {
      const first = events.find(({ type }) => type === "AGENT_THOUGHT" || type === "TOOL_PROPOSED");
      if (first?.type !== "TOOL_PROPOSED" || form.knows(first.payload.toolCallId)) return undefined;
      return store.journal.read(first.runId).then((journal) => {
        for (const event of journal) if (event.seq < first.seq) form.row(event);
      });
    },
  };
}

/** Converts the events of one run, in order. A proposal gets the name and the input that the model wrote. */
function createOpsForm() {
  let calls = new Map<string, Pick<ToolCallPart, "toolName" | "input">>();
  const remember = ({ type, payload }: JournalEvent): void => {
    if (type !== "AGENT_THOUGHT") return;
    const asked = toolCallsOf(payload.content);
    if (asked.length > 0)
      calls = new Map(asked.map((call, index) => [toolCallId(payload.callId, index), call]));
  };
  return {
    knows: (callId: string): boolean => calls.has(callId),
    /** Undefined for a wait that ends by itself, for example for a child: contract S0 calls such a run `running`. */
    row(event: JournalEvent): z.infer<typeof OpsEvent> | undefined {
      remember(event);
      if (event.type === "RUN_SUSPENDED" && SELF_RESUMING.has(event.payload.waitingOn.kind)) return undefined;
      const asked = event.type === "TOOL_PROPOSED" ? calls.get(event.payload.toolCallId) : undefined;
      return {
        id: event.position,
        run_id: event.runId,
        sequence: event.seq,
        // Contract S0 has one type for failures of the system, such as a provider that refuses a call.
        event_type: event.type === "MODEL_CALL_FAILED" ? "SYSTEM_ERROR" : event.type,
        payload: asked ? { ...event.payload, name: asked.toolName, input: asked.input } : opsPayload(event),
        created_at: new Date(event.ts).toISOString(),
      };
    },
  };
}

function opsPayload({ type, payload }: JournalEvent): unknown {
  switch (type) {
    case "RUN_SUSPENDED":
      return { reason: payload.waitingOn.kind, ...payload };
    case "MODEL_CALL_FAILED":
      return { code: payload.cause, ...payload };
    case "CHILD_RUN_STARTED":
      return { ...payload, agent_type: agentType(payload.agent_type) };
    default:
      return payload;
  }
}

/** Contract S0's error body contains only one sentence. */
const ops = routesWith({ schema: Refused, of: ({ message }) => ({ error: message }) });
