// Offers every main agent as a model of OpenAI's chat API, so that any chat client can talk to agents.
// A message starts a run. If the request names a session, the message goes to that session.

import { randomUUID } from "node:crypto";
import { CadreError } from "../../errors.ts";
import type { SentFile } from "../../loop/attachments/store-files.ts";
import type { CadreClient } from "../client/client.ts";
import type { ApprovalView } from "../client/types.ts";
import { answerOrSay } from "../conversation/answer-or-say.ts";
import { routesWith } from "../routes/route.ts";
import { MEGABYTES_WITH_FILES } from "../routes/schemas.ts";
import type { ClientForRequest } from "../server/client-for-request.ts";
import { respondStreaming, respondWhenDone } from "./complete.ts";
import { openaiErrorBody } from "./errors.ts";
import { readLatestMessage } from "./latest-message.ts";
import { ChatAnswer, ChatBody, Model, Models, Refused } from "./schema.ts";

export function openaiRoutes({ clientFor }: { clientFor: ClientForRequest }) {
  return [
    openai.post(
      "/v1/chat/completions",
      {
        summary: "Chat with a main agent in OpenAI's protocol",
        body: ChatBody,
        maxMegabytes: MEGABYTES_WITH_FILES,
        answer: ChatAnswer,
        media: ["text/event-stream"],
        idempotent: true,
      },
      async ({ body, idempotencyKey }, c) => {
        const client = clientFor(c.req.raw);
        const { origin } = new URL(c.req.url);
        const answered = { ...(await deliver(client, body, idempotencyKey)), origin };
        return body.stream
          ? respondStreaming(client, body, answered)
          : respondWhenDone(client, body, answered, c.req.raw.signal);
      },
    ),
    openai.get("/v1/models", { summary: "The main agents as models", answer: Models }, async (_, c) => ({
      object: "list" as const,
      data: menuOf(await modelsOf(clientFor(c.req.raw))),
    })),
    openai.get(
      "/v1/models/{id}",
      { summary: "One main agent as a model", answer: Model },
      async ({ params: { id } }, c) => {
        const model = (await modelsOf(clientFor(c.req.raw))).find((each) => each.id === id);
        if (!model)
          throw new CadreError(
            "NOT_FOUND",
            `There is no main agent ${id}. GET /v1/models lists all of them.`,
          );
        return model;
      },
    ),
  ];
}

async function deliver(client: CadreClient, body: ChatBody, key: string | undefined) {
  const { text, files, whole, wholeFiles, sessionId } = readLatestMessage(body);
  const { model: agent } = body;
  if (sessionId === undefined) {
    const { runId } = await client.post("/api/runs", {
      body: { agent, task: whole, attended: true, ...attachmentsField(wholeFiles) },
      idempotencyKey: key ?? randomUUID(),
    });
    return { runId, sessionId };
  }
  const answers = ({ kind }: ApprovalView): boolean => kind === "question";
  const message = { sessionId, agent, text, key, answers, ...attachmentsField(files) };
  return { ...(await answerOrSay(message, (use) => use(client))), sessionId };
}

const attachmentsField = (attachments: SentFile[]) => (attachments.length === 0 ? {} : { attachments });

const BUILTIN = "cadre";

async function modelsOf(client: CadreClient): Promise<Model[]> {
  const agents = (await client.get("/api/agents")).agents.filter(({ kind }) => kind === "main");
  return agents.map(({ name, scope }) => ({
    id: name,
    object: "model" as const,
    created: 0,
    owned_by: scope === "builtin" ? BUILTIN : scope,
  }));
}

/** Clients show this list as a menu, so it lists built-in agents only if there are no other agents. Requests can always name built-in agents. */
function menuOf(models: Model[]): Model[] {
  const own = models.filter((model) => model.owned_by !== BUILTIN);
  return own.length > 0 ? own : models;
}

const openai = routesWith({ schema: Refused, of: openaiErrorBody });
