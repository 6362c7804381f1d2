// A file in the encodings that browsers accept. Each encoding is made when it is first asked for, and kept.

import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

export type Encoding = "br" | "gzip";
type Bytes = Uint8Array<ArrayBuffer>;

/** The strongest compression. The largest file takes about a second, once, on another thread. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
/** A smaller file would gain nothing. */
const LEAST = 1_000;

const toBrotli = promisify(brotliCompress) as (body: Bytes, options: typeof QUALITY) => Promise<Buffer>;
const toGzip = promisify(gzip) as (body: Bytes) => Promise<Buffer>;

const COMPRESS: Record<Encoding, (body: Bytes) => Promise<Buffer>> = {
  br: (body) => toBrotli(body, QUALITY),
  gzip: toGzip,
};

export interface CompressedFile {
  /** The file in the best encoding that the request accepts. Undefined if the file must be sent as it is. */
  for(acceptEncoding: string | undefined): Promise<{ encoding: Encoding; body: Bytes }> | undefined;
}

export function compressedFile(body: Bytes): CompressedFile {
  const made = new Map<Encoding, Promise<{ encoding: Encoding; body: Bytes }>>();
  const make = async (encoding: Encoding) => ({
    encoding,
    body: new Uint8Array(await COMPRESS[encoding](body)),
  });
  return {
    for(acceptEncoding) {
      const encoding = body.length < LEAST ? undefined : bestEncoding(acceptEncoding);
      if (encoding === undefined) return undefined;
      const known = made.get(encoding) ?? make(encoding);
      made.set(encoding, known);
      return known;
    },
  };
}

/** `br;q=0` refuses an encoding. Other weights do not matter, because the smaller answer is better for everybody. */
export function bestEncoding(acceptEncoding = ""): Encoding | undefined {
  const accepted = new Set(
    acceptEncoding
      .split(",")
      .map((each) => each.trim().toLowerCase())
      .filter((each) => !/;\s*q=0(?:\.0*)?$/.test(each))
      .map((each) => each.split(";")[0]!.trim()),
  );
  return (["br", "gzip"] as const).find((encoding) => accepted.has(encoding));
}
