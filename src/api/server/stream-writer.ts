// The way out to one reader, with a bounded queue: who writes waits for room, and learns it when the reader has gone or
// stands still.

import { encode } from "./hub.ts";

/** A reader that takes nothing for so long while something waits for it is too slow. */
const STALL_MS = 30_000;
const QUEUE_BYTES = 256 * 1024;

export interface StreamWriter {
  readable: ReadableStream<Uint8Array>;
  /** Aborted when the reader has gone. */
  signal: AbortSignal;
  hasRoom(): boolean;
  /** Waits for room. */
  write(text: string): Promise<void>;
  /** Room or not. */
  writeNow(bytes: Uint8Array): void;
  /** Leaves it out if there is no room. */
  writeIfRoom(bytes: Uint8Array): void;
  /** Room or not: nothing comes after it. */
  writeLast(text: string): void;
  close(): void;
}

export function createStreamWriter(): StreamWriter {
  const gone = new AbortController();
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  let onRoom = (): void => {};
  const readable = new ReadableStream<Uint8Array>(
    {
      start: (given) => {
        controller = given;
      },
      pull: () => onRoom(),
      cancel: () => {
        gone.abort();
        onRoom();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: QUEUE_BYTES }),
  );
  const hasRoom = () => (controller.desiredSize ?? 0) > 0;
  const send = (bytes: Uint8Array): void => {
    if (!gone.signal.aborted) controller.enqueue(bytes);
  };
  const room = () =>
    new Promise<void>((resolve, reject) => {
      const stall = setTimeout(() => reject(new SlowReaderError()), STALL_MS);
      onRoom = () => {
        clearTimeout(stall);
        resolve();
      };
    });
  return {
    readable,
    signal: gone.signal,
    async write(text) {
      while (!gone.signal.aborted && !hasRoom()) await room();
      send(encode(text));
    },
    hasRoom,
    writeNow: send,
    writeIfRoom(bytes) {
      if (hasRoom()) send(bytes);
    },
    writeLast: (text) => send(encode(text)),
    close() {
      if (!gone.signal.aborted) controller.close();
    },
  };
}

export class SlowReaderError extends Error {}
