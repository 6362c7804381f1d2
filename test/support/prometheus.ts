// A server with the shapes of Prometheus' HTTP API, which tests call over real HTTP. It records the requests that it receives.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface FakePrometheus extends AsyncDisposable {
  url: string;
  asked: { path: string; parameters: URLSearchParams; headers: IncomingMessage["headers"] }[];
}

/** What Prometheus answers to a query, by the query's text. A text is the error of a query that it does not accept. */
export type Answers = Readonly<Record<string, { resultType: string; result: unknown } | string>>;

/** `alerts` answers `/api/v1/alerts`. `instead` can answer a request itself. It returns true if it answered. */
export async function fakePrometheus(
  answers: Answers,
  alerts: readonly unknown[] = [],
  instead: (request: IncomingMessage, response: ServerResponse) => boolean = () => false,
): Promise<FakePrometheus> {
  const asked: FakePrometheus["asked"] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, "http://prometheus");
    asked.push({ path: pathname, parameters: searchParams, headers: request.headers });
    if (instead(request, response)) return;
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    };
    if (pathname.endsWith("/api/v1/alerts")) return send(200, { status: "success", data: { alerts } });
    if (!/\/api\/v1\/query(_range)?$/.test(pathname)) {
      response.writeHead(404, { "Content-Type": "text/plain" }).end("404 page not found");
      return;
    }
    const found = answers[searchParams.get("query") ?? ""] ?? { resultType: "vector", result: [] };
    if (typeof found === "string") return send(400, { status: "error", errorType: "bad_data", error: found });
    send(200, { status: "success", data: found, warnings: [] });
  });
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
