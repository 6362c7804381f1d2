// A load balancer with health checks in front of the workers.
// If HAProxy is installed, the tests use HAProxy with the configuration from deploy/. Otherwise they use a small balancer of our own.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import {
  type ClientHttp2Session,
  connect,
  constants,
  createServer,
  type Http2Server,
  type ServerHttp2Stream,
} from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Balancer {
  name: string;
  end(): Promise<void>;
}

export const hasHaproxy = (): boolean => spawnSync("haproxy", ["-v"]).status === 0;

export function startBalancer(port: number, workers: readonly number[]): Promise<Balancer> {
  return hasHaproxy() ? haproxy(port, workers) : own(port, workers);
}

const SHIPPED = new URL("../../deploy/haproxy.cfg", import.meta.url);

/** The HAProxy configuration that we ship, with local addresses, because tests cannot resolve container names. */
export function haproxyFor(port: number, workers: readonly number[]): string {
  return readFileSync(SHIPPED, "utf8")
    .replace("bind :9080", `bind 127.0.0.1:${port}`)
    .replace(/ *server-template .*/, workers.map((at, i) => `  server w${i} 127.0.0.1:${at}`).join("\n"))
    .replace(" resolvers dns init-addr none", "");
}

async function haproxy(port: number, workers: readonly number[]): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), "cadre-haproxy-"));
  const file = join(folder, "haproxy.cfg");
  writeFileSync(file, haproxyFor(port, workers));
  const process: ChildProcess = spawn("haproxy", ["-db", "-q", "-f", file], { stdio: "ignore" });
  return {
    name: "HAProxy",
    async end() {
      process.kill("SIGKILL");
      await once(process, "exit");
      rmSync(folder, { recursive: true });
    },
  };
}

const CHECK_MS = 1_000;
const { NGHTTP2_CANCEL: CANCEL } = constants;

interface Backend {
  port: number;
  session: ClientHttp2Session | undefined;
  isWell: boolean;
  failed: number;
  streams: number;
}

async function own(port: number, ports: readonly number[]): Promise<Balancer> {
  const backends = ports.map(
    (at): Backend => ({ port: at, session: undefined, isWell: false, failed: 0, streams: 0 }),
  );
  const server: Http2Server = createServer().on("stream", (stream, headers) => {
    const backend = backends.filter(({ isWell }) => isWell).sort((a, b) => a.streams - b.streams)[0];
    stream.on("error", () => {});
    if (!backend) return stream.respond({ ":status": 503 }, { endStream: true });
    pass(stream, headers, backend);
  });
  const checks = setInterval(() => backends.forEach((backend) => void check(backend)), CHECK_MS);
  await Promise.all(backends.map(check));
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    name: "the balancer of the tests",
    async end() {
      clearInterval(checks);
      for (const { session } of backends) session?.destroy();
      server.close();
    },
  };
}

function sessionOf(backend: Backend): ClientHttp2Session {
  if (backend.session && !backend.session.closed && !backend.session.destroyed) return backend.session;
  backend.session = connect(`http://127.0.0.1:${backend.port}`).on("error", () => {});
  return backend.session;
}

function pass(stream: ServerHttp2Stream, headers: object, backend: Backend): void {
  const onward = sessionOf(backend).request(headers as never, { endStream: false });
  backend.streams++;
  onward.on("response", ({ ...answer }) => {
    delete answer["connection"];
    if (!stream.destroyed) stream.respond(answer);
  });
  onward.on("error", () => {});
  // If the worker's answer was cut off, we cut off the client's stream too. A complete answer needs nothing more.
  onward.on("close", () => {
    backend.streams--;
    if (!onward.readableEnded) stream.close(CANCEL);
  });
  stream.on("close", () => !onward.closed && onward.close(CANCEL));
  stream.pipe(onward).pipe(stream);
}

/** A worker is unhealthy after two failed checks. Its calls are cancelled and sent to other workers. */
async function check(backend: Backend): Promise<void> {
  const request = sessionOf(backend).request({ ":path": "/healthz" });
  const late = setTimeout(() => request.close(CANCEL), CHECK_MS);
  const status = await new Promise<unknown>((resolve) => {
    request.on("response", (answer) => resolve(answer[":status"]));
    request.on("error", () => {}).on("close", () => resolve(undefined));
  });
  request.resume();
  clearTimeout(late);
  backend.failed = status === 200 ? 0 : backend.failed + 1;
  backend.isWell = backend.failed === 0 || (backend.isWell && backend.failed < 2);
  if (!backend.isWell) backend.session?.destroy();
}
