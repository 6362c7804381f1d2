// Files and JSON answers in the encodings that browsers accept. Each encoding of a file is made when it is first asked for, and kept.

import { promisify } from "node:util";
import { type BrotliOptions, brotliCompress, constants, gzip } from "node:zlib";
import type { MiddlewareHandler } from "hono";

export type Encoding = "br" | "gzip";
type Bytes = Uint8Array<ArrayBuffer>;

/** The strongest compression takes seconds on a busy machine, so the first visitors get a file that is a little larger. */
const STRONG = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
/** A smaller file would gain nothing. */
const LEAST = 1_000;

/** A fast compression, for answers that are sent once. */
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const toBrotli = promisify(brotliCompress) as (body: Bytes, options: BrotliOptions) => Promise<Buffer>;
const toGzip = promisify(gzip) as (body: Bytes) => Promise<Buffer>;

const COMPRESS: Record<Encoding, (body: Bytes) => Promise<Buffer>> = {
  br: (body) => toBrotli(body, QUICK),
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
  const strengthen = async () => {
    const strong = new Uint8Array(await toBrotli(body, STRONG));
    made.set("br", Promise.resolve({ encoding: "br", body: strong }));
  };
  return {
    for(acceptEncoding) {
      const encoding = body.length < LEAST ? undefined : bestEncoding(acceptEncoding);
      if (encoding === undefined) return undefined;
      const known = made.get(encoding);
      if (known) return known;
      const first = make(encoding);
      made.set(encoding, first);
      if (encoding === "br") void first.then(strengthen);
      return first;
    },
  };
}

/** Compresses the JSON answers of a route. Event streams stay as they are, because each event must leave at once. */
export const compressJson: MiddlewareHandler = async (c, next) => {
  await next();
  const { res } = c;
  if (!res.body || !res.headers.get("Content-Type")?.startsWith("application/json")) return;
  if (res.headers.has("Content-Encoding")) return;
  c.header("Vary", "Accept-Encoding", { append: true });
  const encoding = bestEncoding(c.req.header("Accept-Encoding"));
  if (encoding === undefined) return;
  const body = new Uint8Array(await c.res.arrayBuffer());
  const isWorthIt = body.length >= LEAST;
  const sent = !isWorthIt ? body : encoding === "br" ? await toBrotli(body, FAST) : await toGzip(body);
  c.res = new Response(new Uint8Array(sent), c.res);
  c.res.headers.delete("Content-Length");
  if (isWorthIt) c.header("Content-Encoding", encoding);
};

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
