// Runs part of the MCP conformance suite against our client and both servers; `npm run conformance` runs all of it.

import { expect, test } from "vitest";
import { conformCadre, conformClient, conformFixture, expectedFailures } from "./conformance.ts";

test.each([
  ["initialize", 1],
  ["tools_call", 1],
  ["elicitation-sep1034-client-defaults", 5],
  ["sse-retry", 3],
])("Cadre's MCP client passes all checks of the scenario %s (%d)", async (scenario, checks) => {
  const { output } = await conformClient(scenario);
  expect(output).toMatch(new RegExp(`Passed: ${checks}/${checks}, 0 failed`));
});

test("[A03] Cadre's own server passes the scenarios that need no tools of the suite", async () => {
  const { checks } = await conformCadre();
  expect(Object.values(checks).filter((counts) => !/^[12] passed, 0 failed$/.test(counts))).toEqual([]);
});

test("a server with the suite's tools and Cadre's transport fails only the expected scenarios", async () => {
  const { ok, checks, output } = await conformFixture();
  expect(ok, output).toBe(true);
  expect(Object.keys(checks).length).toBeGreaterThan(25);
});

test("every expected failure has a reason", () => {
  for (const [scenario, reason] of expectedFailures()) expect(reason, scenario).toMatch(/\w+ \w+/);
});
