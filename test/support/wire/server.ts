// A simulator of the provider APIs on the loopback interface. Tests use it with the real provider packages.
// The simulator rejects what the real APIs reject, models their caches, and keeps every request.

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { CallContext } from "../../../src/models/model.ts";
import { anthropicProtocol } from "./anthropic.ts";
import { tokensIn } from "./caches.ts";
import { chatProtocol } from "./chat.ts";
import { googleProtocol } from "./google.ts";
import type {
  Answer,
  Ask,
  Frame,
  PrefixPart,
  Protocol,
  ProtocolOptions,
  Respond,
  WireUsage,
} from "./protocol.ts";
import { responsesProtocol } from "./responses.ts";

export interface WireRequest extends Ask {
  /** The reasons why the real API would reject this request. The simulator answers with the first one. */
  rejections: string[];
  usage: WireUsage;
  answer: Answer;
  /** Tools, system prompt and messages, in the order in which the provider caches them. */
  prefix: PrefixPart[];
}

export interface Wire extends AsyncDisposable {
  url: string;
  requests: WireRequest[];
  /** Environment variables with which the real provider packages reach the simulator. */
  env: Record<string, string>;
  /** The `providers:` section of a cadre.yaml for the simulator. `compat` is a server with OpenAI's Chat Completions API. */
  config: string;
}

export type WireOptions = Partial<Omit<ProtocolOptions, "newId">>;

export async function startWire(
  respond: Respond,
  { isZeroRetention = false, bindsThinking = true }: WireOptions = {},
): Promise<Wire> {
  const requests: WireRequest[] = [];
  let ids = 0;
  const newId = (prefix: string): string => `${prefix}${String(++ids).padStart(24, "0")}`;
  const options: ProtocolOptions = { newId, isZeroRetention, bindsThinking };
  const protocols = [anthropicProtocol, responsesProtocol, chatProtocol, googleProtocol].map((make) =>
    make(options),
  );
  let arrived = 0;
  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = incoming.url!.split("?")[0]!;
    const protocol = protocols.find(({ handles }) => handles(path));
    if (!protocol) {
      response.writeHead(path.endsWith("/models") ? 200 : 404, { "content-type": "application/json" });
      response.end(JSON.stringify({ data: [], models: [] }));
      return;
    }
    const chunks = await Array.fromAsync(incoming as AsyncIterable<Buffer>);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const model = protocol.modelOf(body, path);
    const ask: Ask = {
      ...protocol.read(body),
      ...{ provider: protocol.name, model, body, n: ++arrived },
      headers: incoming.headers as Record<string, string>,
      ...callerIn(incoming.headers),
    };
    const rejections = protocol.rejections(body, model);
    const [rejection] = rejections;
    const answer: Answer = rejection
      ? { error: { status: rejection.status, body: protocol.errorBody(rejection) } }
      : await respond(ask);
    const usage = usageOf(answer, () => protocol.count(body, model));
    const seen = { rejections: rejections.map(({ message }) => message), usage, answer };
    requests.push({ ...ask, ...seen, prefix: protocol.prefix(body) });
    await send(response, answer, protocol, { body, model, usage });
  };
  const server = createServer((incoming, response) => void handle(incoming, response));
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...{ url, requests, env: envOf(url), config: configOf(url) },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** `wireScenario` adds this header to each call. The real APIs ignore such a header. */
export const CALL_HEADER = "x-call";

function callerIn(headers: IncomingHttpHeaders): Pick<Ask, "agent" | "run" | "call"> {
  const header = headers[CALL_HEADER];
  const call = header === undefined ? undefined : (JSON.parse(String(header)) as CallContext);
  return { agent: call?.agent ?? "", run: call?.runId ?? "", call };
}

const envOf = (url: string): Record<string, string> => ({
  ...{ ANTHROPIC_API_KEY: "test-anthropic-key", ANTHROPIC_BASE_URL: url },
  ...{ OPENAI_API_KEY: "test-openai-key", OPENAI_BASE_URL: `${url}/v1` },
  ...{ GEMINI_API_KEY: "test-gemini-key", COMPAT_API_KEY: "test-compat-key" },
});

const configOf = (url: string): string =>
  `providers:
  google: { type: google, baseURL: "${url}/v1beta" }
  compat: { type: openai-compatible, baseURL: "${url}/v1", apiKeyEnv: COMPAT_API_KEY }
`;

/** The usage of a request. A request that fails costs nothing and caches nothing. */
function usageOf(answer: Answer, count: () => Omit<WireUsage, "output">): WireUsage {
  if (answer.error || answer.connection) return { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
  return { ...count(), output: tokensIn(answer.parts ?? []), ...answer.usage };
}

async function send(
  response: ServerResponse,
  answer: Answer,
  protocol: Protocol,
  context: Parameters<Protocol["stream"]>[1],
): Promise<void> {
  const { error, connection, firstByteAfterMs, cut, midError, staysOpen } = answer;
  if (connection === "silent") return;
  if (connection === "closed") return void response.destroy();
  await pause(firstByteAfterMs);
  if (error) {
    const body = typeof error.body === "string" ? error.body : JSON.stringify(error.body ?? {});
    response.writeHead(error.status, { "content-type": "application/json", ...error.headers });
    return void response.end(body);
  }
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  let sent = 0;
  for (const frame of protocol.stream(answer, context)) {
    await pause(frame.waitMs);
    if (response.destroyed) return;
    if (cut && sent === cut.after) return void (cut.clean ? response.end() : response.destroy());
    if (frame.comment !== undefined) response.write(`: ${frame.comment}\n\n`);
    if (frame.data === undefined || (staysOpen === "unmarked" && frame.data === "[DONE]")) continue;
    response.write(lines(frame));
    sent++;
    if (midError && sent === midError.after)
      return void response.end(lines({ event: "error", data: midError.data }));
  }
  if (!staysOpen) response.end();
}

const lines = ({ event, data }: Frame): string =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

const pause = (ms: number | undefined): Promise<void> | undefined =>
  ms === undefined ? undefined : new Promise((done) => setTimeout(done, ms));
