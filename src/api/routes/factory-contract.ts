// The routes of contract S1: runs as `AgentSession` records, and their messages as `AgentMessage` records.

import { z } from "zod";
import type { JournalEvent } from "../../journal/events.ts";
import { loadDefinition } from "../../loop/drive/run-journal.ts";
import { currentRunState } from "../../loop/drive/run-state-cache.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { agentMessages, agentSession, SESSION_STATUSES } from "../../projections/formats/agent-records.ts";
import type { Store } from "../../stores/store.ts";
import type { ApiParts } from "../parts.ts";
import { findRun, unlessDamaged } from "../views/read-runs.ts";
import { route } from "./route.ts";
import { namedObject, nextCursor, pageFields } from "./schemas.ts";

export const AgentSessionView = namedObject("AgentSessionView", {
  /** The id of the run. */
  id: z.string(),
  /** The folder in which the agent works. */
  workspaceId: z.string(),
  /** The agent's name in capitals, without its pack: `WORKER`. */
  agentType: z.string(),
  parentAgentId: z.string().nullable(),
  task: z.string(),
  context: z.unknown(),
  status: z.enum(SESSION_STATUSES),
  result: z.unknown(),
  errorMessage: z.string().nullable(),
  /** The session and the process of a coding agent that does the work. Null if a model does it. */
  claudeSessionId: z.string().nullable(),
  claudeProcessPid: z.int().nullable(),
  model: z.string(),
  promptTokens: z.number(),
  completionTokens: z.number(),
  turnCount: z.int(),
  createdAt: z.string(),
  startedAt: z.string().nullable(),
  completedAt: z.string().nullable(),
});
type AgentSessionView = z.infer<typeof AgentSessionView>;

export const AgentMessageView = namedObject("AgentMessageView", {
  id: z.string(),
  agentSessionId: z.string(),
  role: z.enum(["user", "assistant"]),
  content: z.unknown(),
  createdAt: z.string(),
});

export const AgentSessionsQuery = z.strictObject({
  parentAgentId: z.string().min(1).exactOptional(),
  ...pageFields,
});

export function factoryContractRoutes({ store }: ApiParts) {
  return [
    route.get(
      "/api/agent-sessions",
      {
        summary: "Runs as AgentSession records, newest first (S1)",
        query: AgentSessionsQuery,
        answer: namedObject("AgentSessions", { sessions: z.array(AgentSessionView), nextCursor }),
      },
      async ({ query: { parentAgentId: parent, ...paging } }) => {
        const page = await store.runs.list({ ...paging, ...omitUndefined({ parent }) });
        const sessions = await Promise.all(page.runs.map((row) => sessionOf(store, row)));
        return { sessions, nextCursor: page.nextCursor };
      },
    ),
    route.get(
      "/api/agent-sessions/{id}",
      { summary: "One run as an AgentSession record (S1)", answer: AgentSessionView },
      async ({ params }) => sessionOf(store, await findRun(store, params.id)),
    ),
    route.get(
      "/api/agent-sessions/{id}/messages",
      {
        summary: "The messages of a run as AgentMessage records, in order (S1)",
        answer: namedObject("AgentMessages", { messages: z.array(AgentMessageView) }),
      },
      async ({ params }) => {
        const row = await findRun(store, params.id);
        return { messages: agentMessages(await store.journal.read(row.id)) };
      },
    ),
  ];
}

async function sessionOf(store: Store, row: RunRow): Promise<AgentSessionView> {
  const [first, last, definition] = await Promise.all([
    eventAt(store, row.id, 1),
    row.endedAt === undefined ? undefined : eventAt(store, row.id, row.seq),
    loadDefinition(store, row.definition),
  ]);
  const program = definition.runner && (await currentRunState(store, row.id)).runner.started;
  return agentSession(row, { first, last, program, model: definition.models[0]! });
}

/** P9: a damaged journal does not hide its run. */
const eventAt = (store: Store, id: string, seq: number): Promise<JournalEvent | undefined> =>
  unlessDamaged(
    async () => (await store.journal.read(id, seq - 1, 1))[0],
    () => undefined,
  );
