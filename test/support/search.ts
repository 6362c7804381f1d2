// Three search providers on one real HTTP server, each with its own paths, keys and formats. The server keeps the received requests.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface FakePage {
  title: string;
  url: string;
  about: string;
  date?: string;
}

export interface FakeSearch extends AsyncDisposable {
  url: string;
  asked: { method: string; url: URL; headers: IncomingMessage["headers"]; body: string }[];
}

export const KEY = "s3cret-key";

/** `instead` can answer a request itself, without the provider's rules. It returns true if it answered. */
export async function fakeSearch(
  pages: readonly FakePage[],
  instead: (request: IncomingMessage, response: ServerResponse) => boolean = () => false,
): Promise<FakeSearch> {
  const asked: FakeSearch["asked"] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url!, "http://search");
    const question = {
      method: request.method!,
      url,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    };
    asked.push(question);
    if (instead(request, response)) return;
    const [status, body] = answerOf(question, pages);
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

type Answer = [status: number, body: unknown];

function answerOf(request: FakeSearch["asked"][number], pages: readonly FakePage[]): Answer {
  const { method, url } = request;
  if (method === "GET" && url.pathname.endsWith("/res/v1/web/search")) return braveAnswer(request, pages);
  if (method === "POST" && url.pathname.endsWith("/search")) return tavilyAnswer(request, pages);
  if (method === "GET" && url.pathname.endsWith("/search")) return searxngAnswer(request, pages);
  return [404, { error: "Not Found" }];
}

function searxngAnswer({ url }: FakeSearch["asked"][number], pages: readonly FakePage[]): Answer {
  if (url.searchParams.get("format") !== "json") return [403, "Forbidden"];
  const results = pages.map(({ title, url: address, about, date = null }) => ({
    url: address,
    title,
    content: about,
    publishedDate: date,
    engine: "duckduckgo",
    score: 1,
  }));
  return [200, { query: url.searchParams.get("q"), number_of_results: 0, results, unresponsive_engines: [] }];
}

function braveAnswer({ url, headers }: FakeSearch["asked"][number], pages: readonly FakePage[]): Answer {
  if (headers["x-subscription-token"] !== KEY)
    return [422, { type: "ErrorResponse", error: { code: "SUBSCRIPTION_TOKEN_INVALID", status: 422 } }];
  const count = Number(url.searchParams.get("count") ?? 20);
  if (count > 20) return [422, { type: "ErrorResponse", error: { code: "VALIDATION", status: 422 } }];
  const results = pages.slice(0, count).map(({ title, url: address, about, date }) => ({
    type: "search_result",
    title,
    url: address,
    description: about,
    ...(date === undefined ? {} : { page_age: date }),
  }));
  const web = results.length === 0 ? {} : { web: { type: "search", results } };
  return [200, { type: "search", query: { original: url.searchParams.get("q") }, ...web }];
}

function tavilyAnswer({ headers, body }: FakeSearch["asked"][number], pages: readonly FakePage[]): Answer {
  if (headers.authorization !== `Bearer ${KEY}`)
    return [401, { detail: { error: `Unauthorized: ${headers.authorization}` } }];
  const { query, max_results = 5 } = JSON.parse(body) as { query: string; max_results?: number };
  const results = pages.slice(0, max_results).map(({ title, url, about }) => ({
    url,
    title,
    content: about,
    score: 0.9,
    raw_content: null,
  }));
  return [200, { query, follow_up_questions: null, answer: null, images: [], results, response_time: 0.1 }];
}
