// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how a configuration names a variable
// Tests MCP servers at a URL: a real server, and hostile servers that try to make Cadre request other URLs.

import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { systemClock } from "../clock.ts";
import type { McpServer as Config } from "../config/schema.ts";
import type { Connection } from "./connection.ts";
import { createConnection } from "./reconnecting-connection.ts";

const never = new AbortController().signal;
const opened: Connection[] = [];
const listening: Server[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((connection) => connection.close()));
  for (const server of listening.splice(0)) {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
});

/** Starts an HTTP server. Returns the server's URL and a list of the requests it receives. */
async function listen(answer: RequestListener): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  listening.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, asked };
}

function connectTo(url: string, more: Partial<Config> = {}, env: Record<string, string> = {}): Connection {
  const server = { url, ...more };
  const parts = { name: "it", server, folder: "/", environment: {}, env, clock: systemClock };
  const connection = createConnection(parts);
  opened.push(connection);
  return connection;
}

function adder(): RequestListener {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "adder", version: "1" });
    const add = { description: "adds", inputSchema: z.object({ a: z.number(), b: z.number() }) };
    server.registerTool("add", add, async ({ a, b }) => ({
      content: [{ type: "text", text: String(a + b) }],
    }));
    return server;
  });
  const serve = getRequestListener((request) => handler.fetch(request));
  return (request, response) => void serve(request, response);
}

describe("an MCP server at a URL", () => {
  test("a server at a URL receives the configured headers, with variables replaced by their values", async () => {
    const serve = adder();
    const seen = new Set<string | undefined>();
    const { url, asked } = await listen((request, response) => {
      seen.add(request.headers.authorization);
      serve(request, response);
    });
    const connection = connectTo(url, { headers: { Authorization: "Bearer ${TOKEN}" } }, { TOKEN: "t0k3n" });
    const { tools } = await connection.list();
    expect(tools.map(({ name }) => name)).toEqual(["add"]);
    expect(await connection.call(tools[0]!, { a: 2, b: 3 }, never)).toMatchObject({
      content: [{ text: "5" }],
    });
    expect(seen).toEqual(new Set(["Bearer t0k3n"]));
    expect(new Set(asked)).toEqual(new Set(["POST /mcp"]));
  });

  test("if a restarted server has lost the session, one call fails and the next call opens a new session", async () => {
    let session = "s0";
    const { url } = await listen((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { id, method } = JSON.parse(Buffer.concat(chunks).toString() || "{}") as Record<
          string,
          unknown
        >;
        const answer = (result: unknown): void => {
          const headers = { "content-type": "application/json", "mcp-session-id": session };
          response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
        };
        const serverInfo = { name: "x", version: "1" };
        if (method === "initialize")
          return answer({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo });
        if (id === undefined) return response.writeHead(request.method === "GET" ? 405 : 202).end();
        if (request.headers["mcp-session-id"] !== session) return response.writeHead(404).end();
        answer(
          method === "tools/list"
            ? { tools: [{ name: "t", inputSchema: { type: "object" } }] }
            : { content: [] },
        );
      });
    });
    const connection = connectTo(url);
    const { tools } = await connection.list();
    session = "s1";
    await expect(connection.call(tools[0]!, {}, never)).rejects.toMatchObject({ sent: true });
    expect(await connection.call(tools[0]!, {}, never)).toMatchObject({ content: [] });
  });

  test("an unreachable server is reported in one sentence", async () => {
    const { url } = await listen(() => {});
    const [server] = listening.splice(0);
    await new Promise((done) => server!.close(done));
    await expect(connectTo(url).list()).rejects.toThrow(/^The MCP server it cannot be used: .*ECONNREFUSED/);
  });
});

describe("[A51] a server that requires a sign-in", () => {
  const metadata = {
    authorization_endpoint: "file:///etc/passwd",
    token_endpoint: "http://x/$(calc)",
    authorization_servers: ["--flag", "http://x/$(calc)"],
  };
  test.each([
    'Bearer resource_metadata="file:///etc/passwd"',
    'Bearer resource_metadata="http://127.0.0.1:1/$(calc)"',
    'Bearer resource_metadata="--flag"',
    'Bearer resource_metadata="URL/.well-known/oauth-protected-resource", error="insufficient_scope"',
  ])(
    "a server that requires a sign-in is reported as unusable; Cadre requests no URL that the server's header names: %s",
    async (challenge) => {
      for (const status of [401, 403]) {
        const { url, asked } = await listen((_request, response) => {
          response.writeHead(status, {
            "www-authenticate": challenge.replace("URL", `http://${_request.headers.host}`),
            "content-type": "application/json",
          });
          response.end(JSON.stringify(metadata));
        });
        await expect(connectTo(url).list()).rejects.toThrow(
          status === 401 ? /it wants a sign-in \(401\), which Cadre does not do/ : /cannot be used: /,
        );
        expect(asked.filter((line) => !line.endsWith(" /mcp"))).toEqual([]);
      }
    },
  );
});

describe("[A54] hostile responses", () => {
  const endless = (type: string, start: string) => (_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200, { "content-type": type });
    response.write(start);
    const chunk = "x".repeat(1024 * 1024);
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on("drain", more);
    more();
  };
  test.each([
    ["application/json", '{"jsonrpc":"2.0","id":0,"result":"'],
    ["text/event-stream", "data: "],
  ])("a response that never ends is cut off: %s", async (type, start) => {
    const { url } = await listen(endless(type, start));
    await expect(connectTo(url).list()).rejects.toThrow(/more than 16 MB at once and was ended/);
  });

  test("a redirect is not followed, not even to the same host", async () => {
    const { url, asked } = await listen((_request, response) => {
      response.writeHead(307, { location: "/elsewhere" }).end();
    });
    await expect(connectTo(url).list()).rejects.toThrow(/another address, which is not followed/);
    expect(asked.some((line) => line.includes("elsewhere"))).toBe(false);
  });
});
