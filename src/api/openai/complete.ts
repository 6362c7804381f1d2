// One chat completion: a run's answer, in one piece or as a stream.
// If the client disconnects, the run continues, and a repeated request with the same Idempotency-Key finds the run.

import { setTimeout as pause } from "node:timers/promises";
import { CadreError, toCadreError } from "../../errors.ts";
import type { CadreClient } from "../client/client.ts";
import type { RunDetail } from "../client/types.ts";
import { itemView } from "../mcp/views.ts";
import { statusOf } from "../server/http-errors.ts";
import { encode } from "../server/hub.ts";
import { sseFrame } from "../server/sse.ts";
import { createStreamWriter, eventStreamResponse, type StreamWriter } from "../server/stream-writer.ts";
import { openaiErrorBody } from "./errors.ts";
import { type AnsweredRun, followAnswer } from "./follow-answer.ts";
import type { ChatAnswer, ChatBody, FinishReason, Usage } from "./schema.ts";

const HEARTBEAT_MS = 15_000;

/** Tells OpenAI's clients not to retry: the run has started, and a retry would start another run. */
const DO_NOT_RETRY = { "x-should-retry": "false" };

/** Answers when the run has ended or needs a person. */
export async function respondWhenDone(
  client: CadreClient,
  body: ChatBody,
  answered: AnsweredRun,
  signal: AbortSignal,
): Promise<Response> {
  const answer = wholeAnswer(client, body, answered, signal).then(
    (value) => ({ value, status: 200, headers: {} }),
    (error: unknown) => {
      const failure = toCadreError(error);
      return { value: openaiErrorBody(failure), status: statusOf(failure), headers: DO_NOT_RETRY };
    },
  );
  const soon = await Promise.race([answer, pause(HEARTBEAT_MS, undefined, { ref: false })]);
  if (soon) return Response.json(soon.value, { status: soon.status, headers: soon.headers });
  // The spaces keep the waiting connection open. JSON parsers ignore spaces before a value.
  const writer = createStreamWriter();
  const heartbeat = setInterval(() => writer.writeIfRoom(encode(" ")), HEARTBEAT_MS);
  writer.writeIfRoom(encode(" "));
  void answer.then(({ value }) => {
    clearInterval(heartbeat);
    writer.writeLast(JSON.stringify(value));
    writer.close();
  });
  return new Response(writer.readable, { headers: { "Content-Type": "application/json" } });
}

async function wholeAnswer(
  client: CadreClient,
  { model }: ChatBody,
  answered: AnsweredRun,
  signal: AbortSignal,
): Promise<ChatAnswer> {
  let content = "";
  for await (const update of followAnswer(client, answered, signal)) {
    content += update.text ?? "";
    if (update.type === "part") continue;
    const run =
      update.type === "end"
        ? requireCompleted(update.run)
        : await client.get("/api/runs/{id}", { id: answered.runId });
    const needs =
      update.type === "needs" && update.needs.length > 0 ? { needs: update.needs.map(itemView) } : {};
    return {
      ...headOf(answered, run, model),
      object: "chat.completion",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content, refusal: null },
          finish_reason: finishOf(run),
          logprobs: null,
        },
      ],
      usage: usageOf(run),
      cadre: { ...ofCadre(answered, run), ...needs },
    };
  }
  throw new CadreError(
    "CONFLICT",
    `The client disconnected before run ${answered.runId} had ended. The run continues.`,
  );
}

/** Streams tokens. While the run waits for a person, SSE comments keep the connection open. The stream continues after the decision. */
export function respondStreaming(client: CadreClient, body: ChatBody, answered: AnsweredRun): Response {
  const writer = createStreamWriter();
  void pump(client, body, answered, writer);
  return eventStreamResponse(writer);
}

async function pump(
  client: CadreClient,
  body: ChatBody,
  answered: AnsweredRun,
  writer: StreamWriter,
): Promise<void> {
  const heartbeat = setInterval(() => writer.writeIfRoom(encode(": still here\n\n")), HEARTBEAT_MS);
  try {
    const first = await client.get("/api/runs/{id}", { id: answered.runId });
    const head = { ...headOf(answered, first, body.model), object: "chat.completion.chunk" as const };
    const send = (delta: object, more: object = {}, finish: FinishReason | null = null): Promise<void> =>
      writer.write(
        sseFrame({ ...head, choices: [{ index: 0, delta, finish_reason: finish, logprobs: null }], ...more }),
      );
    await send({ role: "assistant", content: "" }, { cadre: ofCadre(answered, first) });
    for await (const update of followAnswer(client, answered, writer.signal)) {
      if (update.type === "needs")
        await send(
          { content: update.text },
          { cadre: { run_id: answered.runId, needs: update.needs.map(itemView) } },
        );
      else if (update.text) await send({ content: update.text });
      if (update.type === "part" && update.activity) await send({}, { cadre: { activity: update.activity } });
      if (update.type !== "end") continue;
      const run = requireCompleted(update.run);
      await send({}, { cadre: ofCadre(answered, run) }, finishOf(run));
      if (body.stream_options?.include_usage)
        await writer.write(sseFrame({ ...head, choices: [], usage: usageOf(run) }));
    }
    writer.writeLast("data: [DONE]\n\n");
  } catch (error) {
    writer.writeLast(sseFrame(openaiErrorBody(toCadreError(error))));
  } finally {
    clearInterval(heartbeat);
    writer.close();
  }
}

function requireCompleted(run: RunDetail): RunDetail {
  if (run.status === "completed") return run;
  const { id, status, stopReason = "error", summary = "" } = run;
  throw new CadreError(
    "UNPROCESSABLE",
    `Run ${id} ${status === "failed" ? "failed" : "was cancelled"} (${stopReason}): ${summary.trim().replace(/[^.?!]$/, "$&.")} \`cadre why ${id}\` says more, \`cadre retry ${id}\` goes on from there.`,
    { code: status === "failed" ? "RUN_FAILED" : "RUN_CANCELLED" },
  );
}

const headOf = ({ runId }: AnsweredRun, { createdAt }: RunDetail, model: string) => ({
  id: `chatcmpl-${runId}`,
  created: Math.floor(createdAt / 1_000),
  model,
});

const ofCadre = ({ runId, sessionId }: AnsweredRun, { status }: RunDetail) => ({
  run_id: runId,
  ...(sessionId === undefined ? {} : { session_id: sessionId }),
  status,
});

/** Stop reasons of runs that reached a limit. */
const CUT = new Set<string | undefined>([
  "max_turns",
  "max_duration",
  "budget",
  "loop",
  "history_limit",
  "output_limit",
]);
const finishOf = ({ stopReason }: RunDetail): FinishReason => (CUT.has(stopReason) ? "length" : "stop");

function usageOf({ treeUsage: { input, output, cacheRead } }: RunDetail): Usage {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
  };
}
