// The body of an answer, within bounds on the wire and after unpacking. Both are counted as the bytes come, so that a few
// kilobytes that unpack to gigabytes cost no more than the bound (A44).

import { pipeline, Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

export interface Body {
  bytes: Uint8Array;
  /** There is more than `max`, of which this is the head. */
  more: boolean;
}

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

export const ACCEPT_ENCODING = "gzip, deflate, br";
/** One is what servers do, two what a proxy before them may make of it. */
const MAX_ENCODINGS = 2;

/** Undefined: packed in a way that was not asked for. */
export function decodersFor(contentEncoding: string): (() => Transform)[] | undefined {
  const names = contentEncoding
    .toLowerCase()
    .split(",", MAX_ENCODINGS + 2)
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  if (names.length > MAX_ENCODINGS) return undefined;
  const decoders = names
    .reverse()
    .map((name) => (Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined));
  return decoders.every((decoder) => decoder !== undefined) ? decoders : undefined;
}

export async function readBody(
  from: Readable,
  { decoders, max }: { decoders: readonly (() => Transform)[]; max: number },
): Promise<Body> {
  const wire = { left: max };
  const kept = { left: max };
  const chunks: Buffer[] = [];
  const packed = Readable.from(metered(from, wire), { objectMode: false });
  // What breaks in between destroys the last of them, and is thrown below.
  const unpacked = decoders.reduce<Readable>(
    (source, decoder) => pipeline(source, decoder(), () => {}),
    packed,
  );
  try {
    for await (const chunk of metered(unpacked, kept)) chunks.push(chunk);
    return { bytes: Buffer.concat(chunks), more: false };
  } catch (error) {
    if (wire.left >= 0 && kept.left >= 0) throw error;
    return { bytes: Buffer.concat(chunks), more: true };
  } finally {
    unpacked.destroy();
    from.destroy();
  }
}

async function* metered(source: AsyncIterable<Buffer>, budget: { left: number }): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    const fits = chunk.subarray(0, Math.max(0, budget.left));
    budget.left -= chunk.length;
    yield fits;
    if (budget.left < 0) throw new Error("There is more than may be read.");
  }
}
