import { expect, it } from "vitest";
import { type FakeEntry, fakeLoki } from "../../test/support/loki.ts";
import { lokiServiceErrorsTool } from "./loki-service-errors.ts";
import { tempWorkspace } from "./temp-workspace.fixture.ts";

const T = 1_767_276_000_000_000_000n; // 2026-01-01T14:00:00Z
const span = { start: "2026-01-01T13:00:00Z", end: "2026-01-01T15:00:00Z" };
const entry = (second: number, line: string, labels: Record<string, string>): FakeEntry => ({
  at: T + BigInt(second) * 1_000_000_000n,
  line,
  labels,
});
const LOGS = [
  entry(0, "ERROR order 17 of 3f2b8c1d-0000-4000-8000-123456789abc lost", { app: "api", level: "error" }),
  entry(1, "ERROR order 18 of 3f2b8c1d-0000-4000-8000-abcdefabcdef lost", { app: "api", level: "error" }),
  entry(2, "all is well", { app: "api", level: "info" }),
  entry(3, "pool is empty", { app: "api", level: "error" }),
  entry(4, "java.lang.NullPointerException at Cart.java:9", { app: "api", level: "info" }),
  entry(5, "ERROR of another", { app: "web", level: "error" }),
  entry(6, "quiet", { app: "calm", level: "info" }),
  entry(7, "ERROR in quotes", { app: 'say "hi"', level: "info" }),
];

async function errors(input: { service: string; start?: string; limit?: number }, logs = LOGS) {
  await using loki = await fakeLoki(logs);
  await using folder = await tempWorkspace();
  const tool = lokiServiceErrorsTool({ settings: { url: loki.url }, env: {} });
  return await tool.execute({ ...span, ...input }, folder.context());
}

it("[S0-39] loki_service_errors lists each kind of error once, with its count and its first and last time", async () => {
  const { output, isError } = await errors({ service: "api" });
  expect(isError).toBeUndefined();
  expect(output).toMatch(
    /^4 error lines of 3 kinds, 2026-01-01T13.*\{app="api"\} \|~ ".*\{app="api", level=~"/,
  );
  expect(String(output).split("\n").slice(1)).toEqual([
    '<untrusted-n0nce source="loki">',
    "2× first 2026-01-01T14:00:00.000Z, last 2026-01-01T14:00:01.000Z",
    "    ERROR order 18 of 3f2b8c1d-0000-4000-8000-abcdefabcdef lost",
    expect.stringMatching(/^1× first .*04\.000Z/),
    "    java.lang.NullPointerException at Cart.java:9",
    expect.stringMatching(/^1× first .*03\.000Z/),
    "    pool is empty",
    "</untrusted-n0nce>",
  ]);
});

it("loki_service_errors distinguishes a service without errors from an unknown service", async () => {
  expect((await errors({ service: "calm" })).output).toMatch(/^"calm" logged no errors, .*It did log/);
  const unknown = await errors({ service: "apo" });
  expect(unknown.isError).toBe(true);
  expect(unknown.output).toMatch(
    /^No service "apo" has[\s\S]*\nnearest: api\napp: api, calm, say "hi", web\n</,
  );
  const bare = await errors({ service: "api" }, [entry(0, "ERROR", { host: "h1" })]);
  expect(bare.output).toMatch(/No label names services: look at loki_labels/);
});

it("the service name is escaped in the query", async () => {
  expect((await errors({ service: 'say "hi"' })).output).toMatch(/^1 error line of 1 kind,/);
  expect((await errors({ service: '"} or {app="web' })).isError).toBe(true);
});

it("if the limit was reached, loki_service_errors says that the counts are too low", async () => {
  expect((await errors({ service: "api", limit: 2 })).output).toMatch(/the newest only \(limit 2\)/);
});

it("loki_service_errors reports a failing Loki and a missing configuration", async () => {
  await using loki = await fakeLoki(LOGS, ({ url }, response) => {
    if (!url!.includes("query_range")) return false;
    response.writeHead(500).end("out of memory");
    return true;
  });
  await using folder = await tempWorkspace();
  const tool = lokiServiceErrorsTool({ settings: { url: loki.url }, env: {} });
  const { output, isError } = await tool.execute({ ...span, service: "api" }, folder.context());
  expect(isError).toBe(true);
  expect(output).toMatch(/failed \(500\)[\s\S]*\nout of memory\n/);
  const none = lokiServiceErrorsTool({ settings: undefined, env: {} });
  expect((await none.execute({ service: "api" }, folder.context())).output).toMatch(/not configured/);
});
