// `node examples/library/chat-server.ts`: the server of a chat page that uses `useChat` of the AI SDK. A page that is loaded again
// shows the run that is under way; a server that is started again goes on with it. In the page:
//
//   const { messages, sendMessage, addToolApprovalResponse } = useChat({
//     id: chatId,
//     resume: true,
//     transport: new DefaultChatTransport({ api: "http://localhost:3000/api/chat" }),
//     sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
//   });

import { serve } from "@hono/node-server";
import { createCadre, defineAgent } from "cadre";
import { answerApprovals, type UiMessage, uiResponse } from "cadre/ai";
import { scriptedModel } from "cadre/testing";
import { Hono } from "hono";

const guide = defineAgent({
  name: "guide",
  model: process.env["MODEL"] ?? scriptedModel(({ lastUser = "" }) => ({ text: `You asked: ${lastUser}` })),
  prompt: "Answer in one sentence.",
});

const cadre = await createCadre({ agents: [guide] });
/** The last run of a conversation. A handle that an async function returned would be awaited to its end. */
const latest = async (session: string) => (await cadre.runs({ session, limit: 1 }))[0]?.id;

const app = new Hono();

app.post("/api/chat", async (c) => {
  const { id, messages } = (await c.req.json()) as { id: string; messages: (UiMessage & { id: string })[] };
  // Check here who the user is, and whether this conversation is theirs.
  const asked = await latest(id);
  if (asked !== undefined && (await answerApprovals(cadre, messages, { by: "the user" })))
    return uiResponse(cadre.get(asked), { from: "now" });
  const last = messages.at(-1)!;
  const text = last.parts.map((part) => ("text" in part ? part.text : "")).join("");
  return uiResponse(cadre.run(guide, text, { session: id, key: last.id }));
});

app.get("/api/chat/:id/stream", async (c) => {
  const run = await latest(c.req.param("id"));
  return run === undefined ? c.body(null, 204) : uiResponse(cadre.get(run));
});

serve({ fetch: app.fetch, port: Number(process.env["PORT"] ?? 3000), hostname: "127.0.0.1" }, ({ port }) =>
  console.log(`Listening on http://127.0.0.1:${port}`),
);
