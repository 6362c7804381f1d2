// Sessions: chains of runs of main agents that people speak to. What is said joins the run that is under way there, or
// starts the next one.

import { CadreError } from "../../errors.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import type { ApiParts } from "../parts.ts";
import { sessionAgent } from "../session-agent.ts";
import { answeredRuns } from "../views/answered-runs.ts";
import { PageQuery, SayBody } from "./requests.ts";
import { route } from "./route.ts";
import { Said, SessionPage } from "./wire.ts";

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
