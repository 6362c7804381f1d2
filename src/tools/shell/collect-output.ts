// Collects output as it arrives. It keeps only the head, the tail and the size, so memory stays flat (F44).

import { stripVTControlCharacters } from "node:util";

const HEAD_BYTES = 1024 * 1024;
const TAIL_BYTES = 64 * 1024;

export interface CollectedOutput {
  readonly size: number;
  /** Number of bytes between the head and the tail, which are not kept. */
  readonly lost: number;
  add(chunk: Buffer): void;
  text(): string;
}

export function collectOutput(): CollectedOutput {
  const head: Buffer[] = [];
  let headSize = 0;
  let tail: Buffer[] = [];
  let tailSize = 0;
  let size = 0;
  return {
    get size() {
      return size;
    },
    get lost() {
      return size - headSize - Math.min(tailSize, TAIL_BYTES);
    },
    add(chunk) {
      size += chunk.length;
      const room = HEAD_BYTES - headSize;
      if (room > 0) {
        head.push(chunk.subarray(0, room));
        headSize += Math.min(chunk.length, room);
      }
      if (chunk.length <= room) return;
      tail.push(chunk.subarray(Math.max(0, room)));
      tailSize += chunk.length - Math.max(0, room);
      if (tailSize < 4 * TAIL_BYTES) return;
      tail = [Buffer.concat(tail).subarray(-TAIL_BYTES)];
      tailSize = TAIL_BYTES;
    },
    text() {
      const start = Buffer.concat(head);
      if (start.subarray(0, 8192).includes(0)) return `(binary output, ${size} bytes, not shown)`;
      const end = Buffer.concat(tail).subarray(-TAIL_BYTES);
      const left = size - start.length - end.length;
      if (left === 0) return showControls(Buffer.concat([start, end]).toString());
      // A character that was cut in half is dropped.
      const first = new TextDecoder().decode(start, { stream: true });
      const whole = end.findIndex((byte) => (byte & 0xc0) !== 0x80);
      const last = end.subarray(Math.max(0, whole)).toString();
      return `${showControls(first)}\n… ${left} bytes left out …\n${showControls(last)}`;
    },
  };
}
const CONTROL = /[^\P{Cc}\t\n\r]/gu;

/** Removes colours, and makes visible all control characters that could move the cursor or hide text. */
export function showControls(text: string): string {
  return stripVTControlCharacters(text).replace(
    CONTROL,
    (character) => `⟦U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟧`,
  );
}
