// Runs a part of the MCP conformance suite against our client and two servers. `npm run conformance` runs the whole suite.

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

test("[A03] Cadre's own server passes every scenario that works without the suite's tools", async () => {
  const { checks } = await conformCadre();
  expect(Object.values(checks).filter((counts) => !/^[12] passed, 0 failed$/.test(counts))).toEqual([]);
});

test("the fixture server, which has the suite's tools and Cadre's transport, fails only the expected scenarios", async () => {
  const { ok, checks, output } = await conformFixture();
  expect(ok, output).toBe(true);
  expect(Object.keys(checks).length).toBeGreaterThan(25);
});

test("expected-failures.yml gives a reason for each scenario", () => {
  for (const [scenario, reason] of expectedFailures()) expect(reason, scenario).toMatch(/\w+ \w+/);
});
