// A run as the AI SDK's `useChat` shows it: the UI message stream protocol, with the run's text, calls and approvals.
// The protocol is plain JSON over server-sent events, so Cadre does not need the AI SDK.

import type { ApprovalRequest } from "./approvals.ts";
import type { Cadre } from "./create-cadre.ts";
import type { Run } from "./run.ts";
import type { RunPart } from "./stream.ts";

/** One chunk of the UI message stream. */
export type UiChunk =
  | { type: "start"; messageId: string }
  | { type: "start-step" | "finish-step" | "reset-step" | "finish" }
  | { type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; id: string }
  | { type: "text-delta" | "reasoning-delta"; id: string; delta: string }
  | { type: "tool-input-available"; toolCallId: string; toolName: string; input: unknown; dynamic: true }
  | { type: "tool-approval-request"; approvalId: string; toolCallId: string }
  | { type: "tool-output-available"; toolCallId: string; output: unknown; dynamic: true }
  | { type: "tool-output-error"; toolCallId: string; errorText: string; dynamic: true }
  /** A descendant of this run. A later chunk with the same id replaces this chunk. */
  | { type: "data-run"; id: string; data: { agent: string; task: string; status: string } }
  /** A request that is not about a call of this run: a question, or a request of a descendant. */
  | { type: "data-approval"; id: string; data: UiRequest }
  | { type: "error"; errorText: string };

export type UiRequest = Pick<
  ApprovalRequest,
  "kind" | "agent" | "tool" | "input" | "preview" | "detail" | "choices"
>;

export interface UiStreamOptions {
  /** `start` (default) repeats the whole run, for a new message or a page that was loaded again. `now` continues the last message. */
  from?: "start" | "now";
}

/**
 * The chunks of a run. If the reader disconnects, the run continues.
 * They end when the run has ended, and when it waits for approval of its own call: `useChat` sends an approval only after that.
 */
export async function* uiChunks(
  run: Run<unknown>,
  { from = "start" }: UiStreamOptions = {},
): AsyncGenerator<UiChunk> {
  const root = await run.id;
  const message = createMessage(root);
  const open = from === "now" ? new Set((await run.approvals()).map(({ id }) => id)) : new Set<string>();
  const skipped = from === "now" ? (await run.journal()).at(-1)!.seq : 0;
  const calls = createCallApprovals();
  if (from === "start") yield { type: "start", messageId: root };
  for await (const part of run.stream) {
    if (part.type === "approval" && open.has(part.request.id)) continue;
    const isOld = part.seq !== undefined && part.runId === root && part.seq <= skipped;
    for (const ready of part.runId === root ? calls.inOrder(part) : [part]) {
      const chunks = [...message.chunksOf(ready)];
      if (!isOld) yield* chunks;
    }
    if (part.type === "waiting" && part.runId === root && calls.isAsking() && (await isLastWait(run, part)))
      break;
  }
  yield* message.end();
}

/** Orders the parts of the root run: a request comes after its call. A repeated stream brings open requests too early. */
function createCallApprovals() {
  const seen = new Set<string>();
  const early = new Map<string, RunPart>();
  const asking = new Set<string>();
  return {
    *inOrder(part: RunPart): Generator<RunPart> {
      if (part.type === "approval" && part.request.kind === "tool" && part.request.callId !== undefined) {
        const { callId } = part.request;
        if (!seen.has(callId)) return void early.set(callId, part);
        asking.add(callId);
      }
      yield part;
      if (part.type === "tool-result") asking.delete(part.callId);
      if (part.type !== "tool-call") return;
      seen.add(part.callId);
      const request = early.get(part.callId);
      if (request === undefined) return;
      asking.add(part.callId);
      yield request;
    },
    isAsking: () => asking.size > 0,
  };
}

/** Whether the run still waits. A repeated stream contains earlier waits, too. */
async function isLastWait(run: Run<unknown>, { seq }: RunPart): Promise<boolean> {
  const last = (await run.journal()).findLast(
    ({ type }) => type === "RUN_SUSPENDED" || type === "RUN_RESUMED",
  );
  return last?.seq === seq;
}

/** A response with the run's chunks, for `useChat` and every other client of the protocol. */
export function uiResponse(run: Run<unknown>, options: UiStreamOptions = {}): Response {
  const chunks = uiChunks(run, options);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        const data = done ? "[DONE]" : JSON.stringify(value);
        controller.enqueue(encoder.encode(`data: ${data}\n\n`));
        if (done) controller.close();
      } catch (error) {
        const chunk: UiChunk = { type: "error", errorText: (error as Error).message };
        controller.enqueue(encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`));
        controller.close();
      }
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
  return new Response(body, { headers: HEADERS });
}

const HEADERS = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-cache",
  "X-Vercel-AI-UI-Message-Stream": "v1",
  "X-Accel-Buffering": "no",
};

/** A message of the AI SDK, as `useChat` sends it. */
export interface UiMessage {
  role: string;
  parts: readonly object[];
}

/** Carries out the answers to approvals that the user has given in the last message. Returns whether there were any. */
export async function answerApprovals(
  cadre: Pick<Cadre, "approvals">,
  messages: readonly UiMessage[],
  decided: { by: string },
): Promise<boolean> {
  const last = messages.at(-1);
  const answers = (last?.role === "assistant" ? last.parts : []).flatMap((part) => {
    const { approval, state } = part as {
      state?: string;
      approval?: { id: string; approved?: boolean; reason?: string };
    };
    return state === "approval-responded" && approval?.approved !== undefined ? [approval] : [];
  });
  if (answers.length === 0) return false;
  const open = new Map((await cadre.approvals()).map((request) => [request.id, request]));
  for (const { id, approved, reason } of answers) {
    // An answer that was given before is sent again with each message.
    if (approved) await open.get(id)?.approve(decided);
    else await open.get(id)?.reject(reason, decided);
  }
  return true;
}

/** Translates the parts of a run into chunks. Each model call is a step of the message. */
function createMessage(root: string) {
  let turn: string | undefined;
  let attempt = 1;
  let kind: "text" | "reasoning" | undefined;
  let written = { text: "", reasoning: "" };
  const tasks = new Map<string, { agent: string; task: string }>();

  function* close(): Generator<UiChunk> {
    if (kind !== undefined) yield { type: `${kind}-end`, id: `${turn}/${kind}` };
    kind = undefined;
  }

  function* step(next: string): Generator<UiChunk> {
    if (next === turn) return;
    yield* close();
    if (turn !== undefined) yield { type: "finish-step" };
    yield { type: "start-step" };
    [turn, attempt, written] = [next, 1, { text: "", reasoning: "" }];
  }

  function* write(what: "text" | "reasoning", delta: string): Generator<UiChunk> {
    if (kind !== what) {
      yield* close();
      kind = what;
      yield { type: `${what}-start`, id: `${turn}/${what}` };
    }
    written[what] += delta;
    if (delta !== "") yield { type: `${what}-delta`, id: `${turn}/${what}`, delta };
  }

  /** The recorded text. Usually it has been written already, piece by piece. */
  function* settle(what: "text" | "reasoning", whole: string): Generator<UiChunk> {
    if (!whole.startsWith(written[what])) {
      yield* reset();
    }
    if (whole.length > written[what].length) yield* write(what, whole.slice(written[what].length));
    yield* close();
  }

  function* reset(): Generator<UiChunk> {
    yield* close();
    yield { type: "reset-step" };
    written = { text: "", reasoning: "" };
  }

  function* ofRoot(part: RunPart): Generator<UiChunk> {
    switch (part.type) {
      case "text-delta":
      case "reasoning-delta":
        yield* step(part.turnId);
        if (part.attempt !== attempt) yield* reset();
        attempt = part.attempt;
        yield* write(part.type === "text-delta" ? "text" : "reasoning", part.text);
        return;
      case "text":
      case "reasoning":
        yield* step(part.turnId);
        yield* settle(part.type, part.text);
        return;
      case "tool-call":
        yield* step(part.turnId);
        yield* close();
        yield {
          type: "tool-input-available",
          toolCallId: part.callId,
          toolName: part.tool,
          input: part.input,
          dynamic: true,
        };
        return;
      case "tool-result": {
        const { callId: toolCallId, output, isError } = part;
        const errorText = typeof output === "string" ? output : JSON.stringify(output);
        if (isError) yield { type: "tool-output-error", toolCallId, errorText, dynamic: true };
        else yield { type: "tool-output-available", toolCallId, output, dynamic: true };
        return;
      }
      case "ended":
        if (part.status !== "completed") yield { type: "error", errorText: part.summary };
        return;
      default:
    }
  }

  function* ofChild(part: RunPart): Generator<UiChunk> {
    if (part.type === "started") tasks.set(part.runId, { agent: part.agent, task: part.task });
    const known = tasks.get(part.runId);
    if (!known || (part.type !== "started" && part.type !== "ended")) return;
    const status = part.type === "started" ? "running" : part.status;
    yield { type: "data-run", id: part.runId, data: { ...known, status } };
  }

  return {
    *chunksOf(part: RunPart): Generator<UiChunk> {
      if (part.type === "approval") yield approvalChunk(part.request, root);
      else yield* part.runId === root ? ofRoot(part) : ofChild(part);
    },
    *end(): Generator<UiChunk> {
      yield* close();
      if (turn !== undefined) yield { type: "finish-step" };
      yield { type: "finish" };
    },
  };
}

function approvalChunk(request: ApprovalRequest, root: string): UiChunk {
  const { id, kind, runId, agent, tool, input, preview, detail, choices, callId } = request;
  if (kind === "tool" && runId === root && callId !== undefined)
    return { type: "tool-approval-request", approvalId: id, toolCallId: callId };
  return { type: "data-approval", id, data: { kind, agent, tool, input, preview, detail, choices } };
}
