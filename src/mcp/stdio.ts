// The wire to a server that we start: a JSON message a line. What it may send us between two messages of ours is bounded; a
// server that sends more is ended (A54). Its last errors are kept, for the sentence that says what went wrong.

import {
  type JSONRPCMessage,
  ReadBuffer,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { type Leashed, startLeashed } from "./leashed.ts";
import { MAX_ANSWER } from "./limits.ts";

export interface StdioTransport extends Transport {
  /** Why it ended, once it has; with the end of what it wrote to its errors. */
  readonly why: string | undefined;
  /** At once and with everything that it started. */
  kill(): void;
}

const MAX_ERRORS = 2_000;

export function createStdioTransport(
  argv: readonly string[],
  place: { cwd: string; env: NodeJS.ProcessEnv },
): StdioTransport {
  const buffer = new ReadBuffer({ maxBufferSize: MAX_ANSWER });
  let server: Leashed | undefined;
  let received = 0;
  let errors = "";
  let why: string | undefined;

  const read = (chunk: Buffer): void => {
    received += chunk.length;
    try {
      if (received > MAX_ANSWER) throw new Error();
      buffer.append(chunk);
    } catch {
      why ??= `it sent more than ${MAX_ANSWER / 1024 / 1024} MB at once and was ended`;
      server?.kill();
      return;
    }
    deliver();
  };
  const deliver = (): void => {
    for (;;) {
      try {
        const message = buffer.readMessage();
        if (message === null) return;
        transport.onmessage?.(message);
      } catch (error) {
        transport.onerror?.(error as Error);
      }
    }
  };
  const ended = (reason: string): void => {
    const said = errors.trim();
    why = `${why ?? reason}${said === "" ? "" : `; the last that it said: ${said}`}`;
    buffer.clear();
    transport.onclose?.();
  };

  const transport: StdioTransport = {
    get why() {
      return why;
    },
    async start() {
      server = startLeashed(argv, place);
      server.output.on("data", read);
      server.errors.on("data", (chunk: Buffer) => {
        errors = (errors + chunk.toString("utf8")).slice(-MAX_ERRORS);
      });
      server.ended.then(
        (code) => ended(code === 127 ? `there is no program ${argv[0]}` : `it ended with code ${code}`),
        (error: Error) => ended(`it could not be started: ${error.message}`),
      );
    },
    async send(message: JSONRPCMessage) {
      received = 0;
      if (!server?.input.writable) throw new Error("it is not running");
      server.input.write(serializeMessage(message));
    },
    async close() {
      server?.stop();
      await server?.ended.catch(() => undefined);
    },
    kill: () => server?.kill(),
  };
  return transport;
}
