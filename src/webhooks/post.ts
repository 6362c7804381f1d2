// One attempt to hand a message over. Bounded in time, no redirect is followed, and it goes only to an address that was
// judged: a name is looked up once, for the connection itself (A42, A43).

import { lookup } from "node:dns";
import { type IncomingMessage, request as overHttp } from "node:http";
import { request as overHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { messageOf as wordsOf } from "../errors.ts";
import type { Outgoing } from "./message.ts";

export interface Answer {
  /** Absent: no answer came. */
  status?: number;
  /** For people: what the other end said, or why nothing came of it. */
  detail: string;
}

/** Whether an address may be reached; otherwise why not. */
export type Judge = (address: string) => string | undefined;

const LONGEST_DETAIL = 200;

export async function post(
  url: URL,
  { headers, body }: Outgoing,
  judge: Judge,
  signal: AbortSignal,
): Promise<Answer> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const refused = isIP(host) === 0 ? undefined : judge(host);
  if (refused !== undefined) return { detail: refused };
  try {
    const response = await answered(url, { headers, body }, judge, signal);
    const status = response.statusCode ?? 0;
    const said = await beginningOf(response);
    if (status >= 300 && status < 400)
      return { status, detail: `${status}: a redirect, which is not followed` };
    return { status, detail: `${status}${status < 300 || said === "" ? "" : `: ${said}`}` };
  } catch (error) {
    return { detail: signal.aborted ? "no answer in time" : reasonOf(error) };
  }
}

function answered(
  url: URL,
  { headers, body }: Outgoing,
  judge: Judge,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const send = url.protocol === "https:" ? overHttps : overHttp;
  return new Promise((resolve, reject) => {
    const sent = send(
      url,
      {
        method: "POST",
        headers: { ...headers, "content-length": Buffer.byteLength(body), "user-agent": "Cadre" },
        lookup: judged(judge),
        agent: false,
        signal,
      },
      resolve,
    );
    sent.once("error", reject);
    sent.end(body);
  });
}

/** If any of its addresses may not be reached, none is. */
function judged(judge: Judge): LookupFunction {
  return (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      const refused = error ?? found.map(({ address }) => judge(address)).find((why) => why !== undefined);
      if (refused instanceof Error) done(refused, "", 0);
      else if (refused !== undefined) done(new Error(refused), "", 0);
      else if (options.all) done(null, found);
      else done(null, found[0]!.address, found[0]!.family);
    });
  };
}

async function beginningOf(response: IncomingMessage): Promise<string> {
  let text = "";
  response.setEncoding("utf8");
  for await (const piece of response) {
    text += piece;
    if (text.length > LONGEST_DETAIL) break;
  }
  response.destroy();
  return text.slice(0, LONGEST_DETAIL).replaceAll(/\s+/g, " ").trim();
}

function reasonOf(error: unknown): string {
  const { code } = error as { code?: string };
  return code === undefined ? wordsOf(error) : (REASONS[code] ?? code);
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nobody listens there",
  ECONNRESET: "the connection was cut",
  ENOTFOUND: "the name has no address",
  EAI_AGAIN: "the name cannot be looked up now",
};
