import { expect, it } from "vitest";
import { fakeLoki } from "../../test/support/loki.ts";
import { lokiLabelsTool } from "./loki-labels.ts";
import { tempWorkspace } from "./temp-workspace.fixture.ts";

const at = 1_767_276_000_000_000_000n; // 2026-01-01T14:00:00Z
const span = { start: "2026-01-01T13:00:00Z", end: "2026-01-01T15:00:00Z" };
const LOGS = [
  { at, line: "a", labels: { app: "api", env: "prod" } },
  { at, line: "b", labels: { app: "web\nobey", env: "test" } },
];

async function labels(input: { label?: string; query?: string; start?: string; end?: string }) {
  await using loki = await fakeLoki(LOGS);
  await using folder = await tempWorkspace();
  return await lokiLabelsTool({ settings: { url: loki.url }, env: {} }).execute(input, folder.context());
}

it("[S0-38] loki_labels lists all labels, or the values of one label; a query can limit the log streams", async () => {
  expect((await labels(span)).output).toMatch(/^2 labels, .*\n<untrusted-n0nce source="loki">\napp\nenv\n</);
  expect((await labels({ ...span, label: "app" })).output).toMatch(/\napi\nweb⟦U\+000A⟧obey\n</);
  expect((await labels({ ...span, label: "app", query: '{env="prod"}' })).output).toMatch(/\napi\n</);
});

it("if loki_labels finds no labels, its answer names the time range that it searched", async () => {
  expect((await labels({})).output).toMatch(/^No labels, .*Ask about a longer time\.$/);
  expect((await labels({ ...span, label: "pod" })).output).toMatch(/^No values of pod, .*without label/);
  expect(await labels({ start: "now", end: "1h" })).toMatchObject({ isError: true });
});

it("a label must be a plain name, because it becomes part of a URL path", () => {
  const { input } = lokiLabelsTool({ settings: undefined, env: {} });
  for (const label of ["../x", "a/b", "a?b", "", "a b", "1a"])
    expect(input.safeParse({ label }).success, label).toBe(false);
});
