// The client scenarios of the MCP conformance suite, with our client. Those of `auth/*` want a sign-in in a browser, which Cadre
// does not do.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const suite = join(root, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const command = `${process.execPath} ${join(import.meta.dirname, "conformance-client.ts")}`;
const scratch = mkdtempSync(join(tmpdir(), "cadre-conformance-"));

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test.each([
  ["initialize", 1],
  ["tools_call", 1],
  ["elicitation-sep1034-client-defaults", 5],
  ["sse-retry", 3],
])("the scenario %s passes all of its %d checks", { timeout: 60_000 }, async (scenario, checks) => {
  const args = [suite, "client", "--command", command, "--scenario", scenario, "-o", scratch];
  const { stdout, stderr } = await run(process.execPath, args, { cwd: scratch });
  expect(stdout + stderr).toMatch(new RegExp(`Passed: ${checks}/${checks}, 0 failed`));
});
