// Makes one attempt to post a message. The attempt has a time limit and follows no redirects.
// The address is checked in the DNS lookup that the connection itself uses, so the address cannot change after the check (A42, A43).

import { lookup } from "node:dns";
import { type IncomingMessage, request as overHttp } from "node:http";
import { request as overHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { describeSystemError } from "../errors.ts";
import type { Outgoing } from "./message.ts";

export interface Answer {
  /** HTTP status of the answer. Absent if there was no answer. */
  status?: number;
  /** The endpoint's answer or the reason for the failure, as text for people. */
  detail: string;
}

/** Returns the reason why connecting to an address is forbidden. Returns undefined if it is allowed. */
export type Judge = (address: string) => string | undefined;

const MAX_DETAIL = 200;

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
    const response = await sendRequest(url, { headers, body }, judge, signal);
    const status = response.statusCode ?? 0;
    const text = await beginningOf(response);
    if (status >= 300 && status < 400) return { status, detail: `${status}: redirects are not followed` };
    return { status, detail: `${status}${status < 300 || text === "" ? "" : `: ${text}`}` };
  } catch (error) {
    return { detail: signal.aborted ? "no answer in time" : describeSystemError(error) };
  }
}

function sendRequest(
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
        lookup: checkedLookup(judge),
        agent: false,
        signal,
      },
      resolve,
    );
    sent.once("error", reject);
    sent.end(body);
  });
}

/** Looks up a host. Refuses the host if any of its addresses is forbidden. */
function checkedLookup(judge: Judge): LookupFunction {
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
    if (text.length > MAX_DETAIL) break;
  }
  response.destroy();
  return text.slice(0, MAX_DETAIL).replaceAll(/\s+/g, " ").trim();
}
