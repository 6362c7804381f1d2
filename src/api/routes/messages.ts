// The model calls of a session, a run or a role, one row each. The rows are caught up with the journals when they are
// asked for.

import { MessagesQuery } from "../client/types.ts";
import type { ApiParts } from "../parts.ts";
import { findRun } from "../views/read-runs.ts";
import { route } from "./route.ts";
import { MessagePage } from "./wire.ts";

export function messageRoutes({ store }: ApiParts) {
  return [
    route(
      {
        method: "get",
        path: "/api/messages",
        summary: "Model calls, one row each",
        query: MessagesQuery,
        answer: MessagePage,
      },
      async ({ query: { run, ...filter } }) => {
        const of = run === undefined ? {} : { run: (await findRun(store, run)).id };
        return store.usage.messages({ ...filter, ...of });
      },
    ),
  ];
}
