// Output as it comes, kept within bounds: the head, the tail and the count. Memory stays flat however much there is (F44).

const HEAD_BYTES = 1024 * 1024;
const TAIL_BYTES = 64 * 1024;

export interface CollectedOutput {
  /** Bytes that came in all. */
  readonly size: number;
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
      return start.toString() + (left > 0 ? `\n… ${left} bytes left out …\n` : "") + end.toString();
    },
  };
}
