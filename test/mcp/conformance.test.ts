// Runs part of the MCP conformance suite against our client and both servers; `npm run conformance` runs all of it.

import { expect, test } from "vitest";
import { conformCadre, conformClient, conformFixture, expectedFailures } from "./conformance.ts";

test.each([
  ["initialize", 1],
  ["tools_call", 1],
  ["elicitation-sep1034-client-defaults", 5],
  ["sse-retry", 3],
])("in the scenario %s, Cadre's MCP client passes all checks (%d)", async (scenario, checks) => {
  const { output } = await conformClient(scenario);
  expect(output).toMatch(new RegExp(`Passed: ${checks}/${checks}, 0 failed`));
});

test("[A03] Cadre's own server passes every scenario that does not need the suite's tools", async () => {
  const { checks } = await conformCadre();
  expect(Object.values(checks).filter((counts) => !/^[12] passed, 0 failed$/.test(counts))).toEqual([]);
});

test("a server with the suite's tools and Cadre's transport fails only the expected scenarios", async () => {
  const { ok, checks, output } = await conformFixture();
  expect(ok, output).toBe(true);
  expect(Object.keys(checks).length).toBeGreaterThan(25);
});

test("expected-failures.yml gives a reason for every scenario", () => {
  for (const [scenario, reason] of expectedFailures()) expect(reason, scenario).toMatch(/\w+ \w+/);
});
