// The wire to a server that we start: a JSON message a line. What it may send us between two questions of ours is bounded; a
// server that sends more is ended (A54). Its last errors are kept, for the sentence that says what went wrong.

import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { MAX_ANSWER, tooMuch } from "./limits.ts";
import { endWords, ownWords, type SupervisedServer, startSupervisedServer } from "./supervised-server.ts";

export interface StdioTransport extends Transport {
  /** Why it ended, once it has; with the end of what it wrote to its errors. */
  readonly why: string | undefined;
}

const MAX_ERRORS = 2_000;
/** A server whose output ends is most often ending: its own code says more than the one that our signal would give it. */
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
  const ended = (reason: string): void => {
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
      // A server that we cannot hear any more is of no use to anybody.
      output.once("end", () => {
        const late = setTimeout(stop, ENDING_MS);
        const inTime = (): void => clearTimeout(late);
        over.then(inTime, inTime);
      });
      server.errors.on("data", (chunk: Buffer) => {
        errors = (errors + chunk.toString("utf8")).slice(-MAX_ERRORS);
      });
      server.ended.then(
        (code) => ended(endWords(code, argv[0]!)),
        (error: Error) => ended(`it could not be started: ${error.message}`),
      );
    },
    async send(message: JSONRPCMessage) {
      // Only for questions of ours: a server that is answered could otherwise ask for ever.
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

/** Lines out of chunks, each byte looked at once: a long line costs no more than its length. */
function lineReader(onLine: (line: string) => void) {
  let received = 0;
  let pieces: Buffer[] = [];
  return {
    allowMore(): void {
      received = 0;
    },
    /** False: more has come than is taken between two questions of ours. */
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
