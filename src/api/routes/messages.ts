// Lists the model calls of a session, a run or a role. Each call is one row.
// The store updates the rows from the journals whenever a client requests rows.

import { z } from "zod";
import { MessageRow } from "../../projections/formats/message-rows.ts";
import type { ApiParts } from "../parts.ts";
import { findRun } from "../views/read-runs.ts";
import { route } from "./route.ts";
import { Count, namedObject, nameSchema, nextCursor, pageFields } from "./schemas.ts";

export const MessagesQuery = z.strictObject({
  session: z.string().min(1).exactOptional(),
  run: z.string().min(1).exactOptional(),
  role: z.string().min(1).exactOptional(),
  /** Id of a row. Returns only the model calls of other agents that were caused by this row's call. */
  parent: Count.exactOptional(),
  ...pageFields,
});

export const MessageView = nameSchema("MessageView", MessageRow);

export const MessagePage = namedObject("MessagePage", { messages: z.array(MessageView), nextCursor });
export type MessagePage = z.infer<typeof MessagePage>;

export function messageRoutes({ store }: ApiParts) {
  return [
    route.get(
      "/api/messages",
      { summary: "Model calls, one row each", query: MessagesQuery, answer: MessagePage },
      async ({ query: { run, ...filter } }) => {
        const of = run === undefined ? {} : { run: (await findRun(store, run)).id };
        return store.usage.messages({ ...filter, ...of });
      },
    ),
  ];
}
