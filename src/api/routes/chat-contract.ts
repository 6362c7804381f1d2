// The routes of contract S4: run records, children, context, cancel and chat.
// These routes show the same runs and sessions under the names of contract S4.
// The contract's routes for settings and for the workspace tree are in other files.

import { resolve } from "node:path";
import { z } from "zod";
import { CadreError } from "../../errors.ts";
import { Rules } from "../../journal/definition.ts";
import { cancelRun } from "../../loop/commands/person-commands.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { agentRunRecord } from "../../projections/formats/agent-records.ts";
import type { ApiParts } from "../parts.ts";
import { findRun } from "../views/read-runs.ts";
import { Context, readTranscript, summarizeTranscript } from "../views/transcript.ts";
import { route } from "./route.ts";
import { Cancelled, MAX_PAGE, MEGABYTES_WITH_FILES, SentFiles } from "./schemas.ts";
import { sessionAgent } from "./sessions.ts";
import { currentSettings } from "./settings.ts";

export const AgentRunView = z.object({
  run_id: z.string(),
  repo_path: z.string(),
  session_id: z.string(),
  agent_id: z.string(),
  agent_kind: z.enum(["main", "subagent"]),
  parent_run_id: z.string().optional(),
  status: z.enum(["running", "completed", "failed", "cancelled"]),
  detail: z.string().optional(),
  started_at: z.number(),
  ended_at: z.number().optional(),
});

const AgentRuns = z.object({ runs: z.array(AgentRunView) });
const id = z.string().min(1);

export const AgentRunsQuery = z.strictObject({
  project_root: id.exactOptional(),
  session_id: id.exactOptional(),
});

export const ChatBody = z.strictObject({
  message: z.string().trim().min(1),
  /** The agent that gets the message. If absent, the session's agent gets it. In a new session the settings name the agent. */
  agent_id: id.exactOptional(),
  /** If absent, the message starts a new session. */
  session_id: id.exactOptional(),
  /** In `auto`, no person is expected: a question waits in the inbox without a deadline. */
  mode: z.enum(["auto", "chat"]).exactOptional(),
  /** Rules of the run that the message starts. The preset `trusted` lets it work without asking. A run that is active keeps its rules. */
  permissions: Rules.strict().exactOptional(),
  attachments: SentFiles.exactOptional(),
});

export const ChatAnswer = z.object({
  run_id: z.string(),
  session_id: z.string(),
  /** True if the message was queued in an active run, false if the message started the run. */
  queued: z.boolean(),
});

export function chatContractRoutes(parts: ApiParts) {
  const { store, people, who } = parts;
  return [
    route.get(
      "/api/agent-runs",
      { summary: "Run records, newest first (S4)", query: AgentRunsQuery, answer: AgentRuns, etag: true },
      async ({ query: { project_root, session_id } }) => {
        // A store contains the runs of only one project.
        if (project_root !== undefined && resolve(project_root) !== parts.info.folder) return { runs: [] };
        const filter = omitUndefined({ session: session_id });
        const { runs } = await store.runs.list({ ...filter, limit: MAX_PAGE });
        return { runs: runs.map(agentRunRecord) };
      },
    ),
    route.get(
      "/api/agent-children",
      {
        summary: "The children of a run, newest first (S4)",
        query: z.strictObject({ run_id: id }),
        answer: AgentRuns,
      },
      async ({ query: { run_id } }) => {
        const { id: parent } = await findRun(store, run_id);
        const { runs } = await store.runs.list({ parent, limit: MAX_PAGE });
        return { runs: runs.map(agentRunRecord) };
      },
    ),
    route.get(
      "/api/agent-context",
      {
        summary: "What the model of a run sees (S4)",
        query: z.strictObject({ run_id: id, view: z.enum(["summary", "raw"]).default("summary") }),
        answer: Context,
      },
      async ({ query: { run_id, view } }) => {
        const transcript = await readTranscript(await findRun(store, run_id), parts);
        return view === "raw" ? transcript : summarizeTranscript(transcript);
      },
    ),
    route.post(
      "/api/agent-cancel",
      {
        summary: "Cancel a run and its descendants (S4)",
        body: z.strictObject({ run_id: id }),
        answer: Cancelled,
      },
      async ({ body: { run_id } }, c) =>
        cancelRun((await findRun(store, run_id)).id, who(c.req.raw), undefined, people),
    ),
    route.post(
      "/api/chat",
      {
        summary: "Send a message to a main agent (S4)",
        body: ChatBody,
        maxMegabytes: MEGABYTES_WITH_FILES,
        answer: ChatAnswer,
        status: 202,
        idempotent: true,
      },
      ({ body, idempotencyKey }, c) => chat(parts, body, who(c.req.raw), idempotencyKey),
    ),
  ];
}

async function chat(
  parts: ApiParts,
  {
    message,
    agent_id,
    session_id,
    mode = currentSettings(parts).mode,
    permissions,
    attachments,
  }: z.output<typeof ChatBody>,
  from: string,
  key: string | undefined,
): Promise<z.input<typeof ChatAnswer>> {
  if (session_id === undefined && key !== undefined)
    throw new CadreError("BAD_REQUEST", "An Idempotency-Key needs a `session_id`. Nothing was sent.");
  const sessionId = session_id ?? parts.people.ids.nonce();
  const agent = agent_id ?? (await sessionAgent(sessionId, parts.store)) ?? currentSettings(parts).agent;
  const sender = { from, userId: from, mode, attended: mode === "chat" };
  const said = { sessionId, agent, text: message, ...omitUndefined({ permissions, attachments }), ...sender };
  const sent = await parts.say(said, key);
  return { run_id: sent.runId, session_id: sessionId, queued: sent.joined };
}
