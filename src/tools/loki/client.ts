// Queries Loki over HTTP.

import {
  queryServer,
  type ServerAccess,
  type ServerFacts,
  type ServerQuery,
  type ServerReply,
  unknownForm,
} from "../web/query-server.ts";

export type LokiAccess = ServerAccess;
export type LokiReply = ServerReply;

const LOKI: ServerFacts = { name: "Loki", key: "loki", api: "loki/api/v1/", things: "logs" };

export const UNKNOWN_FORM = unknownForm(LOKI);

export const queryLoki = (access: LokiAccess, question: ServerQuery): Promise<LokiReply> =>
  queryServer(LOKI, access, question);
