// Writes a stream to one reader through a bounded queue. The writer waits for room, and notices when the reader disconnects or stalls.

import { encode } from "./hub.ts";

/** A reader that reads nothing for this long is too slow. */
const STALL_MS = 30_000;
const QUEUE_BYTES = 256 * 1024;

export interface StreamWriter {
  readable: ReadableStream<Uint8Array>;
  /** Aborted when the reader disconnects. */
  signal: AbortSignal;
  hasRoom(): boolean;
  /** Writes the text when the queue has room. Until then it waits. */
  write(text: string): Promise<void>;
  /** Writes the bytes, even if the queue is full. */
  writeNow(bytes: Uint8Array): void;
  /** Writes the bytes, or drops them if the queue is full. */
  writeIfRoom(bytes: Uint8Array): void;
  /** Writes the last text of the stream, even if the queue is full. */
  writeLast(text: string): void;
  close(): void;
}

export function createStreamWriter(): StreamWriter {
  const disconnected = new AbortController();
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  let onRoom = (): void => {};
  const readable = new ReadableStream<Uint8Array>(
    {
      start: (given) => {
        controller = given;
      },
      pull: () => onRoom(),
      cancel: () => {
        disconnected.abort();
        onRoom();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: QUEUE_BYTES }),
  );
  const hasRoom = () => (controller.desiredSize ?? 0) > 0;
  const send = (bytes: Uint8Array): void => {
    if (!disconnected.signal.aborted) controller.enqueue(bytes);
  };
  const waitForRoom = () =>
    new Promise<void>((resolve, reject) => {
      const stall = setTimeout(() => reject(new SlowReaderError()), STALL_MS);
      onRoom = () => {
        clearTimeout(stall);
        resolve();
      };
    });
  return {
    readable,
    signal: disconnected.signal,
    async write(text) {
      while (!disconnected.signal.aborted && !hasRoom()) await waitForRoom();
      send(encode(text));
    },
    hasRoom,
    writeNow: send,
    writeIfRoom(bytes) {
      if (hasRoom()) send(bytes);
    },
    writeLast: (text) => send(encode(text)),
    close() {
      if (!disconnected.signal.aborted) controller.close();
    },
  };
}

export class SlowReaderError extends Error {}

/** Makes the response that sends the stream as server-sent events. */
export const eventStreamResponse = ({ readable }: StreamWriter): Response =>
  new Response(readable, {
    headers: {
      "Content-Type": "text/event-stream; charset=utf-8",
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
    },
  });
