// An OTLP receiver over HTTP. It decodes the spans that it receives, and answers with the status that the test chooses.

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, string> }[];
  status?: { code: number; message?: string };
}

export interface Receiver extends AsyncDisposable {
  url: string;
  /** Every span in the order of arrival, including duplicates. */
  spans: ReceivedSpan[];
  requests: { path: string; headers: IncomingHttpHeaders; body: string }[];
  /** Returns the status for the next request. If it returns undefined, the receiver reads the request and then cuts the connection. */
  answer: () => number | undefined | Promise<number | undefined>;
}

export async function openReceiver(): Promise<Receiver> {
  const receiver = { spans: [], requests: [], answer: () => 200 } as unknown as Receiver;
  const server = createServer((request, response) => {
    const { url: path = "", headers } = request;
    void text(request).then(async (body) => {
      receiver.requests.push({ path, headers, body });
      receiver.spans.push(...spansIn(body));
      const status = await receiver.answer();
      if (status === undefined) request.socket.destroy();
      else response.writeHead(status, { "content-type": "application/json" }).end("{}");
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), "close");
    },
  });
}

/** Returns the trace as indented text, with two spaces for each level. Spans are sorted by start time, and their errors are shown. */
export function outline(spans: readonly ReceivedSpan[]): string[] {
  const known = new Map(spans.map((span) => [span.spanId, span]));
  const sorted = [...known.values()].toSorted(
    (a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)) || order(a) - order(b),
  );
  const below = (parent: string | undefined, depth: number): string[] =>
    sorted
      .filter(({ parentSpanId }) => parentSpanId === parent)
      .flatMap((span) => {
        const failure = attribute(span, "error.type");
        const line = `${"  ".repeat(depth)}${span.name}${failure === undefined ? "" : ` ! ${failure}`}`;
        return [line, ...below(span.spanId, depth + 1)];
      });
  return below(undefined, 0);
}

export const attribute = ({ attributes }: ReceivedSpan, name: string): string | undefined =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0];

/** If two spans start in the same millisecond, their kinds decide which comes first, as in a journal. */
const order = ({ name }: ReceivedSpan): number =>
  ["invoke_agent", "step", "chat", "execute_tool", "wait"].indexOf(name.split(" ", 1)[0]!);

function spansIn(body: string): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(body) as {
    resourceSpans: { scopeSpans: { spans: ReceivedSpan[] }[] }[];
  };
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}
