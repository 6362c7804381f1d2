// Simulates a small internet with real sockets.
// Host names resolve to public addresses. Connections to these addresses go to handlers on one local HTTP server.
// Connections to private addresses are real, so a test notices if a guard does not work.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buildConnector } from "undici";
import type { WebSettings } from "../../src/tools/web/allowed-sites.ts";
import type { WebAccess } from "../../src/tools/web/get-page.ts";
import { isPublicAddress } from "../../src/tools/web/public-address.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface Internet extends AsyncDisposable {
  /** The port of the local server. The server answers requests to unknown hosts with `canary`. */
  port: number;
  access(settings?: Partial<WebSettings>): WebAccess;
  /** The `host/path` of each request that was received. */
  asked: string[];
  requests: IncomingMessage[];
  lookups: string[];
  /** The `address:port` of each connection attempt. */
  dialed: string[];
}

export const PUBLIC = "93.184.216.34";

/** `names` lists the successive DNS answers for each name. The last answer is repeated. All other names resolve to PUBLIC. */
export async function internet(
  hosts: Readonly<Record<string, Handler>>,
  names: Readonly<Record<string, string[][]>> = {},
): Promise<Internet> {
  const [asked, requests, lookups, dialed]: [string[], IncomingMessage[], string[], string[]] = [
    [],
    [],
    [],
    [],
  ];
  const server = createServer({ maxHeaderSize: 1_000_000 }, (request, response) => {
    asked.push(`${request.headers.host}${request.url}`);
    requests.push(request);
    const host = request.headers.host!.replace(/:\d+$/, "");
    const handler = hosts[host] ?? ((_, canary) => canary.end("canary"));
    handler(request, response);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  const real = buildConnector({ allowH2: false, timeout: 1_000 });
  return {
    port,
    asked,
    requests,
    lookups,
    dialed,
    access: (settings = {}) => ({
      settings: { allow: [], deny: [], private: [], ...settings },
      ownPort: 4470,
      async resolve(host) {
        const answers = names[host] ?? [[PUBLIC]];
        const nth = lookups.filter((name) => name === host).length;
        lookups.push(host);
        return answers[Math.min(nth, answers.length - 1)]!;
      },
      connect(options, callback) {
        dialed.push(`${options.hostname}:${options.port || (options.protocol === "https:" ? 443 : 80)}`);
        if (!isPublicAddress(options.hostname)) return real(options, callback);
        // Uses plain HTTP where the client wants TLS, so that tests need no certificate.
        return real({ ...options, protocol: "http:", hostname: "127.0.0.1", port: String(port) }, callback);
      },
    }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

export const html =
  (body: string): Handler =>
  (_, response) =>
    response.setHeader("Content-Type", "text/html; charset=utf-8").end(body);

export const redirect =
  (location: string, status = 302): Handler =>
  (_, response) =>
    response.writeHead(status, { Location: location }).end();
