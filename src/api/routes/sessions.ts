// Lists sessions and sends messages to them.
// A session is a person's conversation with a main agent: a chain of runs. A message joins the active run or starts the next run.

import { z } from "zod";
import { CadreError } from "../../errors.ts";
import { Rules } from "../../journal/definition.ts";
import type { Store } from "../../stores/store.ts";
import type { ApiParts } from "../parts.ts";
import { markAnswered } from "../views/answered-runs.ts";
import { route } from "./route.ts";
import {
  MEGABYTES_WITH_FILES,
  namedObject,
  namedStrictObject,
  nextCursor,
  PageQuery,
  RunSummary,
  SentFiles,
} from "./schemas.ts";

export const SayBody = namedStrictObject("SayBody", {
  /** The agent that gets the message. If absent, the agent of the session's latest run gets it. */
  agent: z.string().min(1).exactOptional(),
  text: z.string().trim().min(1),
  mode: z.enum(["auto", "chat"]).exactOptional(),
  /** True if a person is available to answer questions. */
  attended: z.boolean().exactOptional(),
  /** Rules of the run that the message starts. The preset `trusted` lets it work without asking. A run that is active keeps its rules. */
  permissions: Rules.strict().exactOptional(),
  attachments: SentFiles.exactOptional(),
});

export const SessionView = namedObject("SessionView", {
  id: z.string(),
  runs: z.int(),
  createdAt: z.number(),
  /** The main agent that the session's messages go to. */
  agent: z.string(),
  /** The latest run of the session's main agent, with its status. Never a child. */
  last: RunSummary,
});

export const SessionPage = namedObject("SessionPage", { sessions: z.array(SessionView), nextCursor });

export const Said = namedObject("Said", {
  runId: z.string(),
  /** True if the message joined an active run, false if the message started the run. */
  joined: z.boolean(),
});

export function sessionRoutes({ store, say, who }: ApiParts) {
  return [
    route.get(
      "/api/sessions",
      { summary: "Sessions, the latest first", query: PageQuery, answer: SessionPage, etag: true },
      async ({ query }) => {
        const page = await store.runs.sessions(query);
        const rows = page.sessions.map(({ last }) => last);
        const latest = await markAnswered(store, rows);
        return {
          ...page,
          sessions: page.sessions.map((session, at) => ({
            ...session,
            agent: session.last.agent,
            last: latest[at]!,
          })),
        };
      },
    ),
    route.post(
      "/api/sessions/{id}/messages",
      {
        summary: "Send a message to an agent in a session",
        body: SayBody,
        maxMegabytes: MEGABYTES_WITH_FILES,
        answer: Said,
        status: 202,
        idempotent: true,
      },
      async ({ params: { id }, body, idempotencyKey }, c) => {
        const from = who(c.req.raw);
        const agent = body.agent ?? (await sessionAgent(id, store));
        if (agent === undefined)
          throw new CadreError("BAD_REQUEST", `Session ${id} is new: say which \`agent\`. Nothing was sent.`);
        const { runId, joined } = await say(
          { ...body, agent, sessionId: id, from, userId: from },
          idempotencyKey,
        );
        return { runId, joined };
      },
    ),
  ];
}

/**
 * Returns the agent of the session's latest root run. Runs that were started by a message from another agent are skipped,
 * unless the session has no other runs. Undefined if the session is new.
 */
export async function sessionAgent(session: string, store: Store): Promise<string | undefined> {
  const { runs } = await store.runs.list({ session, roots: true });
  return (runs.find(({ trigger }) => trigger !== "message") ?? runs[0])?.agent;
}
