// A small imitation of Loki that tests call over real HTTP.
// The imitation follows Loki's rules for stream selectors, line filters, labels, values, limit, direction and time range.
// The imitation also records the requests that it receives.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface FakeEntry {
  labels: Record<string, string>;
  /** Time in nanoseconds since 1970. */
  at: bigint;
  line: string;
}

export interface FakeLoki extends AsyncDisposable {
  url: string;
  asked: { path: string; parameters: URLSearchParams; headers: IncomingMessage["headers"] }[];
}

/** `instead` can answer a request itself, without Loki's rules. It returns true if it answered. */
export async function fakeLoki(
  entries: readonly FakeEntry[],
  instead: (request: IncomingMessage, response: ServerResponse) => boolean = () => false,
): Promise<FakeLoki> {
  const asked: FakeLoki["asked"] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url!, "http://loki");
    asked.push({ path: url.pathname, parameters: url.searchParams, headers: request.headers });
    if (instead(request, response)) return;
    try {
      const data = answer(url, entries);
      response.writeHead(data === undefined ? 404 : 200, { "Content-Type": "application/json" });
      response.end(data === undefined ? "404 page not found" : JSON.stringify({ status: "success", data }));
    } catch (error) {
      response.writeHead(400, { "Content-Type": "text/plain" }).end((error as Error).message);
    }
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

function answer({ pathname, searchParams }: URL, entries: readonly FakeEntry[]): unknown {
  const path = /\/loki\/api\/v1\/(.+)$/.exec(pathname)?.[1];
  const query = searchParams.get("query");
  const start = BigInt(searchParams.get("start") ?? 0);
  const end = BigInt(searchParams.get("end") ?? 2n ** 62n);
  const inRange = entries.filter(({ at }) => at >= start && at < end);
  if (path === "query_range") return queryRange(inRange, query ?? "", searchParams);
  const chosen = query === null ? inRange : inRange.filter(filterOf(query));
  if (path === "labels") return namesOf(chosen.flatMap(({ labels }) => Object.keys(labels)));
  const label = /^label\/([^/]+)\/values$/.exec(path ?? "")?.[1];
  if (label === undefined) return undefined;
  return namesOf(chosen.flatMap(({ labels }) => labels[label] ?? []));
}

/** Loki sends no `data` if there is nothing to list. */
const namesOf = (names: string[]) => (names.length > 0 ? [...new Set(names)].sort() : null);

function queryRange(entries: readonly FakeEntry[], query: string, parameters: URLSearchParams) {
  const counted = /^sum\(count_over_time\((.*)\[\w+\]\)\)$/.exec(query)?.[1];
  if (counted !== undefined) {
    const count = entries.filter(filterOf(counted)).length;
    return { resultType: "matrix", result: [{ metric: {}, values: [[1_700_000_000, String(count)]] }] };
  }
  const backward = parameters.get("direction") !== "forward";
  const sign = backward ? -1 : 1;
  const found = entries
    .filter(filterOf(query))
    .sort((a, b) => (a.at < b.at ? -sign : sign))
    .slice(0, Number(parameters.get("limit") ?? 100));
  const streams = Map.groupBy(found, ({ labels }) => JSON.stringify(labels));
  const result = [...streams].map(([labels, lines]) => ({
    stream: JSON.parse(labels),
    values: lines.map(({ at, line }) => [String(at), line]),
  }));
  return { resultType: "streams", result };
}

const MATCHER = /^\s*([a-zA-Z_]\w*)\s*(=~|!~|!=|=)\s*("(?:[^"\\]|\\.)*")\s*(?:,|$)/;
const LINE_FILTER = /^\s*(\|=|!=|\|~|!~)\s*("(?:[^"\\]|\\.)*"|`[^`]*`)/;

/** Parses queries such as `{app="api"} |= "x" !~ "y"`. Any other query is a parse error with Loki's wording. */
function filterOf(query: string): (entry: FakeEntry) => boolean {
  const selector = /^\s*\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\}/.exec(query);
  if (!selector) throw new Error("parse error at line 1, col 1: syntax error: unexpected IDENTIFIER");
  const tests: ((entry: FakeEntry) => boolean)[] = [];
  let rest = selector[1]!;
  while (rest.trim() !== "") {
    const match = MATCHER.exec(rest);
    if (!match) throw new Error("parse error at line 1, col 2: syntax error: unexpected }");
    const [whole, name, operator, value] = match;
    const test = textTest(operator!, JSON.parse(value!), "whole");
    tests.push(({ labels }) => test(labels[name!] ?? ""));
    rest = rest.slice(whole.length);
  }
  if (tests.length === 0)
    throw new Error("parse error : queries require at least one regexp or equality matcher");
  rest = query.slice(selector[0].length);
  while (rest.trim() !== "") {
    const match = LINE_FILTER.exec(rest);
    if (!match) throw new Error("parse error at line 1, col 9: syntax error: unexpected IDENTIFIER");
    const [whole, operator, value] = match;
    const test = textTest(
      operator!,
      value!.startsWith("`") ? value!.slice(1, -1) : JSON.parse(value!),
      "part",
    );
    tests.push(({ line }) => test(line));
    rest = rest.slice(whole.length);
  }
  return (entry) => tests.every((test) => test(entry));
}

/** A label filter must match the whole value. A line filter can match any part of the line. */
function textTest(operator: string, value: string, how: "whole" | "part"): (text: string) => boolean {
  const isPattern = operator.endsWith("~");
  const [, flags = "", source = ""] = /^(?:\(\?(i)\))?(.*)$/s.exec(value)!;
  const pattern = isPattern ? new RegExp(how === "whole" ? `^(?:${source})$` : source, flags) : undefined;
  const test = (text: string): boolean =>
    pattern ? pattern.test(text) : how === "whole" ? text === value : text.includes(value);
  return operator.startsWith("!") ? (text) => !test(text) : test;
}
