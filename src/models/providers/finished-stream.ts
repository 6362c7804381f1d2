// Ends a stream of events when its answer is finished, even if the server leaves the connection open.
// Otherwise a finished answer would look like a provider that falls silent, and Cadre would request and pay for it again.
//  1  A last event ends the stream immediately: `[DONE]`, or the final event of Anthropic's API or OpenAI's Responses API.
//  2  In the chunks of other APIs, a finish reason ends the stream after a moment, in which the token counts can still arrive.

/** After the finish reason, the stream stays open for this time, in which token counts can arrive. */
const MOMENT_MS = 1_000;

type Bytes = Uint8Array<ArrayBuffer>;

/** The body of a response up to the end of the answer. Only a stream of events is changed. */
export function untilFinished(
  body: ReadableStream<Bytes>,
  contentType: string | null,
): ReadableStream<Bytes> {
  if (!contentType?.startsWith("text/event-stream")) return body;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let line = "";
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  return new ReadableStream<Bytes>({
    async pull(controller) {
      const end = (): void => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        // A blank line completes the last event.
        controller.enqueue(new TextEncoder().encode("\n\n"));
        controller.close();
        reader.cancel().catch(() => {});
      };
      try {
        const { done, value } = await reader.read();
        if (isOver) return;
        if (done) {
          isOver = true;
          clearTimeout(timer);
          return controller.close();
        }
        controller.enqueue(value);
        const lines = (line + decoder.decode(value, { stream: true })).split("\n");
        line = lines.pop()!;
        const ends = [...lines.map(endIn), MARK.test(line) ? "last" : undefined];
        if (ends.includes("last")) end();
        else if (ends.includes("finished")) timer ??= setTimeout(end, MOMENT_MS);
      } catch (error) {
        clearTimeout(timer);
        if (!isOver) controller.error(error);
        isOver = true;
      }
    },
    cancel(reason) {
      isOver = true;
      clearTimeout(timer);
      return reader.cancel(reason);
    },
  });
}

const MARK = /^data:\s*\[DONE\]\s*$/;

/** A quick test, so that most lines do not have to be parsed. */
const POSSIBLE_END = /message_stop|response\.(completed|incomplete|failed)|"finish_?[rR]eason":\s*"/;

const LAST_EVENTS: ReadonlySet<unknown> = new Set([
  "message_stop",
  "response.completed",
  "response.incomplete",
  "response.failed",
]);

interface Chunk {
  type?: unknown;
  /** Set in chunks of the Chat Completions API. */
  choices?: { finish_reason?: unknown }[];
  /** Set in chunks of Google's API. */
  candidates?: { finishReason?: unknown }[];
}

/** The end of the answer in a line of the stream: its last event, or its finish reason. */
function endIn(line: string): "last" | "finished" | undefined {
  if (MARK.test(line)) return "last";
  if (!line.startsWith("data:") || !POSSIBLE_END.test(line)) return undefined;
  try {
    const { type, choices = [], candidates = [] } = JSON.parse(line.slice("data:".length)) as Chunk;
    if (LAST_EVENTS.has(type)) return "last";
    const isFinished =
      choices.some((choice) => typeof choice.finish_reason === "string") ||
      candidates.some((candidate) => typeof candidate.finishReason === "string");
    return isFinished ? "finished" : undefined;
  } catch {
    return undefined;
  }
}
