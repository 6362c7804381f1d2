// The transport to an MCP server that Cadre starts as a process. Each line is one JSON message.
// A server that sends too many bytes between two requests is killed (A54).
// The last part of the server's stderr is kept for the error message.

import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { MAX_ANSWER, tooMuch } from "./connection.ts";
import { endWords, ownWords, type SupervisedServer, startSupervisedServer } from "./supervised-server.ts";

export interface StdioTransport extends Transport {
  /** Why the server has ended, with the last part of its stderr. Undefined while the server is running. */
  readonly why: string | undefined;
}

const MAX_ERRORS = 2_000;
/** How long we wait for the exit code of a server that closed its stdout. Such a server is usually exiting, and its exit code is useful. */
const ENDING_MS = 1_000;

export function createStdioTransport(
  argv: readonly string[],
  place: { cwd: string; env: NodeJS.ProcessEnv },
): StdioTransport {
  let server: SupervisedServer | undefined;
  let errors = "";
  let why: string | undefined;
  const lines = lineReader((line) => {
    try {
      transport.onmessage?.(deserializeMessage(line));
    } catch (error) {
      transport.onerror?.(error as Error);
    }
  });
  const reportEnd = (reason: string): void => {
    const said = ownWords(errors);
    why = `${why ?? reason}${said === "" ? "" : `; the last that it said: ${said}`}`;
    transport.onclose?.();
  };
  const transport: StdioTransport = {
    get why() {
      return why;
    },
    async start() {
      server = startSupervisedServer(argv, place);
      server.output.on("data", (chunk: Buffer) => {
        if (lines.add(chunk)) return;
        why ??= tooMuch;
        server?.output.destroy();
        server?.kill();
      });
      const { output, stop, ended: over } = server;
      // A server without stdout is useless, so it is stopped.
      output.once("end", () => {
        const late = setTimeout(stop, ENDING_MS);
        const inTime = (): void => clearTimeout(late);
        over.then(inTime, inTime);
      });
      server.errors.on("data", (chunk: Buffer) => {
        errors = (errors + chunk.toString("utf8")).slice(-MAX_ERRORS);
      });
      server.ended.then(
        (code) => reportEnd(endWords(code, argv[0]!)),
        (error: Error) => reportEnd(`it could not be started: ${error.message}`),
      );
    },
    async send(message: JSONRPCMessage) {
      // Only our requests reset the limit. If our answers reset it too, the server could avoid the limit by sending us requests.
      if ("method" in message && "id" in message) lines.allowMore();
      if (!server?.input.writable) throw new Error("it is not running");
      server.input.write(serializeMessage(message));
    },
    async close() {
      server?.stop();
      await server?.ended.catch(() => undefined);
    },
  };
  return transport;
}

/** Splits chunks into lines. It reads each byte once, so even a very long line takes linear time. */
function lineReader(onLine: (line: string) => void) {
  let received = 0;
  let pieces: Buffer[] = [];
  return {
    allowMore(): void {
      received = 0;
    },
    /** Adds a chunk. Returns false if the server has sent too many bytes since the last request. */
    add(chunk: Buffer): boolean {
      received += chunk.length;
      if (received > MAX_ANSWER) return false;
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
        const line = Buffer.concat([...pieces, chunk.subarray(from, end)]).toString("utf8");
        pieces = [];
        from = end + 1;
        if (line.trim() !== "") onLine(line);
      }
      pieces.push(chunk.subarray(from));
      return true;
    },
  };
}

const NEWLINE = 10;
