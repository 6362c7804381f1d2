// Gets one page over HTTP, if its host name and IP address are allowed.
//  - The host name is resolved once for each hop. If one of its addresses is not allowed, none is used.
//    The connection goes to a checked address, so the name is never looked up a second time (A43).
//  - A redirect is checked like the first address, and followed only on the same host.
//    A redirect to another host is not followed: permission rules or a person must decide about that host first (A42, A46).
//  - Time, headers and bytes are limited (A44). The request carries nothing that identifies the user: no cookies, no proxy password.

import { lookup } from "node:dns/promises";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { pipeline, Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { buildConnector, Client, type Dispatcher } from "undici";
import { plainHost } from "../../config/hosts.ts";
import { messageOf } from "../../errors.ts";
import { addressProblem, urlProblem, WEB_TIMEOUT, type WebPolicy } from "./allowed-sites.ts";
import { knownMediaType, textKind } from "./content-type.ts";

export interface WebAccess extends WebPolicy {
  /** Resolves a host name to all its addresses. The default is the system's resolver. */
  resolve?: (host: string) => Promise<string[]>;
  /** Opens a socket to `hostname`, which is always an IP address. */
  connect?: buildConnector.connector;
}

export type WebReply =
  | { ok: true; url: URL; status: number; type: string; retryAfter: string | undefined; bytes: Uint8Array }
  /** `serverText` comes from the server, so it is untrusted. */
  | { ok: false; why: string; serverText?: string; from?: string };

const MAX_REDIRECTS = 5;
const MAX_HEADERS = 32 * 1024;
const DEFAULT_MAX_BYTES = 5_000_000;
const IDLE_MS = 10_000;
const CONNECT_MS = 5_000;

export async function getPage(start: URL, access: WebAccess, cancel: AbortSignal): Promise<WebReply> {
  const { timeout = WEB_TIMEOUT } = access.settings;
  const late = AbortSignal.timeout(timeout);
  const signal = AbortSignal.any([cancel, late]);
  let url = start;
  try {
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      const reply = await getOnce(url, access, signal);
      if (!("next" in reply)) return reply;
      const refused = redirectProblem(url, reply.next, access);
      if (refused !== undefined) return { ok: false, from: url.origin, ...refused };
      url = reply.next;
    }
    return { ok: false, why: `${start.host} redirects more than ${MAX_REDIRECTS} times; nothing was read.` };
  } catch (error) {
    if (cancel.aborted) return { ok: false, why: "Cancelled before the page was read." };
    if (late.aborted)
      return {
        ok: false,
        why: `${url.host} did not answer whole within ${timeout / 1000} s. Try again later, or look elsewhere.`,
      };
    return { ok: false, why: failureOf(url, error) };
  }
}

/** The server chose the target, so the target appears only in `serverText` and never in Cadre's own sentence. */
function redirectProblem(
  from: URL,
  to: URL,
  access: WebAccess,
): { why: string; serverText: string } | undefined {
  const stop = `${from.host} redirects, which is not followed:`;
  const [host, serverText] = [plainHost(to), to.href.slice(0, 2_048)];
  const problem = urlProblem(to, access) ?? (isIP(host) === 0 ? undefined : addressProblem(host, to, access));
  if (problem !== undefined)
    return {
      why: `${stop} it leads where pages are not read from.`,
      serverText: `${serverText}\n${problem}`,
    };
  if (from.protocol === "https:" && to.protocol === "http:")
    return { why: `${stop} it would give up encryption.`, serverText };
  if (withoutWww(from) === withoutWww(to)) return undefined;
  return {
    why: `${stop} it leads to another host. If you want to read that, ask for the address below.`,
    serverText,
  };
}

const withoutWww = (url: URL): string => plainHost(url).replace(/^www\./, "");

async function getOnce(url: URL, access: WebAccess, signal: AbortSignal): Promise<WebReply | { next: URL }> {
  const problem = urlProblem(url, access);
  if (problem !== undefined) return { ok: false, why: problem };
  const addresses = await addressesOf(url, access, signal);
  for (const address of addresses) {
    const refused = addressProblem(address, url, access);
    if (refused !== undefined) return { ok: false, why: refused };
  }
  const client = new Client(url.origin, {
    connect: pinnedConnector(addresses, access.connect ?? systemDialer, signal),
    allowH2: false,
    maxHeaderSize: MAX_HEADERS,
    headersTimeout: IDLE_MS,
    bodyTimeout: IDLE_MS,
  });
  try {
    const path = `${url.pathname}${url.search}`;
    const answer = await client.request({ method: "GET", path, headers: HEADERS, signal });
    return await replyOf(url, answer, access);
  } finally {
    await client.destroy();
  }
}

const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

const ACCEPT_ENCODING = "gzip, deflate, br";

const HEADERS = {
  accept: "text/html, text/markdown, text/plain, application/json, application/xml;q=0.9, */*;q=0.1",
  "accept-encoding": ACCEPT_ENCODING,
  "user-agent": `Cadre/${version}`,
};

async function addressesOf(
  url: URL,
  { resolve = systemResolve }: WebAccess,
  signal: AbortSignal,
): Promise<string[]> {
  const host = plainHost(url);
  if (isIP(host) !== 0) return [host];
  const addresses = await untilAborted(resolve(host), signal);
  if (addresses.length === 0) throw Object.assign(new Error("no address"), { code: "ENOTFOUND" });
  return addresses;
}

/** IPv4 addresses come first: on a network without working IPv6, every page would wait for a timeout. */
async function systemResolve(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true, order: "ipv4first" });
  return found.map(({ address }) => address);
}

/** Stops waiting when the signal is aborted, because the lookup itself cannot be cancelled. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const stop = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

const systemDialer = buildConnector({ allowH2: false, timeout: CONNECT_MS, maxCachedSessions: 0 });

function pinnedConnector(
  addresses: readonly string[],
  connect: buildConnector.connector,
  signal: AbortSignal,
): buildConnector.connector {
  return (options, callback) => {
    const attempt = (at: number): void => {
      connect({ ...options, hostname: addresses[at]! }, (...[error, socket]) => {
        if (error !== null && at + 1 < addresses.length && !signal.aborted) attempt(at + 1);
        else if (error !== null) callback(error, null);
        else callback(null, socket);
      });
    };
    attempt(0);
  };
}

async function replyOf(
  url: URL,
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  { settings: { maxBytes = DEFAULT_MAX_BYTES } }: WebAccess,
): Promise<WebReply | { next: URL }> {
  const location = oneOf(headers["location"]);
  if (REDIRECTS.has(status) && location !== undefined) {
    if (URL.canParse(location, url.href)) return { next: new URL(location, url.href) };
    return { ok: false, why: `${url.host} redirects to what is no address; nothing was read.` };
  }
  const type = oneOf(headers["content-type"]) ?? "";
  const failed = status < 200 || status > 299;
  const size = Number(oneOf(headers["content-length"]) ?? 0);
  const decoders = decodersFor(String(headers["content-encoding"] ?? ""));
  if (textKind(type) === undefined) return { ok: false, why: notText(url, status, type, size) };
  if (decoders === undefined)
    return {
      ok: false,
      why: `${url.host} answered in an encoding that was not asked for; nothing was read.`,
    };
  const max = failed ? ERROR_BYTES : maxBytes;
  const whole = size > max && !failed ? undefined : await readBody(body, { decoders, max });
  if (whole === undefined || (whole.more && !failed)) return { ok: false, why: tooLarge(url, max) };
  const retryAfter = oneOf(headers["retry-after"])?.slice(0, 100);
  return { ok: true, url, status, type, retryAfter, bytes: whole.bytes };
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Maximum number of bytes to read of an error page. This is enough to see the page's topic. */
const ERROR_BYTES = 64 * 1024;

const oneOf = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

function notText(url: URL, status: number, type: string, size: number): string {
  const what = knownMediaType(type) ?? "another type";
  const bytes = size > 0 ? `, ${size} bytes` : "";
  return `${url.host} answered ${status} with ${what}${bytes}, which is no text; it was not read. Look for the same as a page or a text.`;
}

const tooLarge = (url: URL, max: number): string =>
  `What ${url.host} answers is larger than ${max / 1_000_000} MB, unpacked; nothing was read. Look for a part of it, or for a smaller page.`;

const FAILURES: Readonly<Record<string, string>> = {
  ENOTFOUND: "the host name has no address",
  EAI_AGAIN: "the host name cannot be resolved right now",
  ECONNREFUSED: "nothing is listening there",
  ECONNRESET: "the connection was cut",
  UND_ERR_SOCKET: "the connection was cut before the answer was whole",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
  UND_ERR_HEADERS_TIMEOUT: `it stayed silent for ${IDLE_MS / 1000} s`,
  UND_ERR_BODY_TIMEOUT: `it stayed silent for ${IDLE_MS / 1000} s`,
  UND_ERR_HEADERS_OVERFLOW: "its headers are too long",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "its answer is not as long as it says",
};

/** Describes the failure by an error code or the HTTP library's message, never by text from the server. */
function failureOf(url: URL, error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  const reason = typeof code === "string" ? (FAILURES[code] ?? code) : messageOf(error);
  return `${url.host} cannot be read: ${reason}. Nothing was read; check the address, or look elsewhere.`;
}

interface Body {
  bytes: Uint8Array;
  /** True if the body is longer than `max`. In that case `bytes` contains only the beginning of the body. */
  more: boolean;
}

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Maximum number of nested encodings: one from the server, and one that a proxy might add. */
const MAX_ENCODINGS = 2;

/** The decoders for a Content-Encoding header. Undefined if the header names an encoding that Cadre did not request. */
function decodersFor(contentEncoding: string): (() => Transform)[] | undefined {
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

/** Reads at most `max` bytes of a body. Both compressed and decompressed bytes are counted as they arrive (A44). */
async function readBody(
  from: Readable,
  { decoders, max }: { decoders: readonly (() => Transform)[]; max: number },
): Promise<Body> {
  const wire = { left: max };
  const kept = { left: max };
  const chunks: Buffer[] = [];
  const packed = Readable.from(limitBytes(from, wire), { objectMode: false });
  // If any stream fails, the pipeline destroys the last stream with that error, and the `for await` loop throws the error.
  const unpacked = decoders.reduce<Readable>(
    (source, decoder) => pipeline(source, decoder(), () => {}),
    packed,
  );
  try {
    for await (const chunk of limitBytes(unpacked, kept)) chunks.push(chunk);
    return { bytes: Buffer.concat(chunks), more: false };
  } catch (error) {
    if (wire.left >= 0 && kept.left >= 0) throw error;
    return { bytes: Buffer.concat(chunks), more: true };
  } finally {
    unpacked.destroy();
    from.destroy();
  }
}

async function* limitBytes(source: AsyncIterable<Buffer>, budget: { left: number }): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    const fits = chunk.subarray(0, Math.max(0, budget.left));
    budget.left -= chunk.length;
    yield fits;
    if (budget.left < 0) throw new Error("There is more than may be read.");
  }
}
