// Sessions: chains of runs of main agents that people speak to. What is said joins the run that is under way there, or
// starts the next one.

import { z } from "zod";
import { CadreError } from "../../errors.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import type { Store } from "../../stores/store.ts";
import type { ApiParts } from "../parts.ts";
import { answeredRuns } from "../views/answered-runs.ts";
import { route } from "./route.ts";
import { named, nextCursor, PageQuery, RunSummary } from "./schemas.ts";

export const SayBody = named(
  "SayBody",
  z.strictObject({
    /** Absent: whoever was spoken to last. */
    agent: z.string().min(1).exactOptional(),
    text: z.string().trim().min(1),
    mode: z.enum(["auto", "chat"]).exactOptional(),
    /** Somebody is there to answer. */
    attended: z.boolean().exactOptional(),
  }),
);
export type SayBody = z.input<typeof SayBody>;

export const SessionView = named(
  "SessionView",
  z.object({
    id: z.string(),
    runs: z.int(),
    createdAt: z.number(),
    /** The latest run: who is spoken to, and how it stands. */
    last: RunSummary,
  }),
);
export type SessionView = z.infer<typeof SessionView>;

export const SessionPage = named("SessionPage", z.object({ sessions: z.array(SessionView), nextCursor }));
export type SessionPage = z.infer<typeof SessionPage>;

export const Said = named(
  "Said",
  z.object({
    runId: z.string(),
    /** It went to a run that was under way; otherwise it has started this one. */
    joined: z.boolean(),
  }),
);
export type Said = z.infer<typeof Said>;

export function sessionRoutes({ store, say, who }: ApiParts) {
  return [
    route(
      {
        method: "get",
        path: "/api/sessions",
        summary: "Sessions, the latest first",
        query: PageQuery,
        answer: SessionPage,
        etag: true,
      },
      async ({ query }) => {
        const page = await store.runs.sessions(query);
        const answered = await answeredRuns(
          store,
          page.sessions.map(({ last }) => last),
        );
        const told = (last: RunRow) => (answered.has(last.id) ? { ...last, answered: true as const } : last);
        return {
          ...page,
          sessions: page.sessions.map((session) => ({ ...session, last: told(session.last) })),
        };
      },
    ),
    route(
      {
        method: "post",
        path: "/api/sessions/{id}/messages",
        summary: "Say something to an agent in a session",
        body: SayBody,
        answer: Said,
        status: 202,
        idempotent: true,
      },
      async ({ params: { id }, body, idempotencyKey }, c) => {
        const from = who(c.req.raw);
        const agent = body.agent ?? (await sessionAgent(id, store));
        if (agent === undefined)
          throw new CadreError("BAD_REQUEST", `Session ${id} is new: say which \`agent\`. Nothing was said.`);
        const { runId, joined } = await say(
          { ...body, agent, sessionId: id, from, userId: from },
          idempotencyKey,
        );
        return { runId, joined };
      },
    ),
  ];
}

/** Whose session it is: of its latest run, and not of those that this one has started. Undefined: it is new. */
export async function sessionAgent(session: string, store: Store): Promise<string | undefined> {
  return (await store.runs.list({ session, roots: true, limit: 1 })).runs[0]?.agent;
}
