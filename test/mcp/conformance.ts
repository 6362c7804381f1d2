// `npm run conformance` runs the MCP conformance suite against our client, Cadre's own server, and a fixture server.
// The fixture server has Cadre's transport and the tools that the suite expects.
// docs/conformance.md shows the results.
// Every scenario that fails must be listed in expected-failures.yml with a reason. Every listed scenario must fail.

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Hono } from "hono";
import { createAccessKeys } from "../../src/api/access/keys.ts";
import { noUsers } from "../../src/api/fixtures/public-server.fixture.ts";
import type { ApiParts } from "../../src/api/parts.ts";
import { createHttpServer } from "../../src/api/server/http-server.ts";
import { BUILT_PAGE, createPublicApp } from "../../src/api/server/public-server.ts";
import { apiParts } from "../../src/runtime/api-parts.ts";
import { assembleRuntime } from "../../src/runtime/assembly.ts";
import { fixtureApp } from "./fixture-server.ts";

const ROOT = join(import.meta.dirname, "../..");
const SUITE = join(ROOT, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const CLIENT = `${process.execPath} ${join(import.meta.dirname, "conformance-client.ts")}`;
const TOKEN = "a-token-that-is-long-enough-for-it";

const EXPECTED = join(import.meta.dirname, "expected-failures.yml");

/** Scenarios that a server can pass without the suite's own tools. */
const OF_CADRE = ["server-initialize", "ping", "tools-list", "resources-list", "dns-rebinding-protection"];

export interface Report {
  ok: boolean;
  /** The number of checks in each scenario, such as `1 passed, 0 failed`. */
  checks: Record<string, string>;
  output: string;
}

/** Runs one scenario. If no scenario is named, runs all of them. */
export const conformClient = (scenario?: string): Promise<Report> =>
  inScratch((scratch) => {
    const which = scenario === undefined ? ["--suite", "all"] : ["--scenario", scenario];
    return run(["client", "--command", CLIENT, ...which, "--expected-failures", EXPECTED], scratch);
  });

export const conformFixture = (): Promise<Report> =>
  inScratch(async (scratch) => {
    await using served = await serve(fixtureApp(TOKEN));
    return await run(["server", "--url", served.url, "--expected-failures", EXPECTED], scratch);
  });

export const conformCadre = (): Promise<Report> =>
  inScratch(async (scratch) => {
    await using served = await cadreServer(scratch);
    const { checks, output } = await run(["server", "--url", served.url], scratch);
    const own = Object.fromEntries(OF_CADRE.map((scenario) => [scenario, checks[scenario] ?? "did not run"]));
    return { ok: Object.values(own).every((counts) => counts.endsWith(" 0 failed")), checks: own, output };
  });

async function inScratch(use: (scratch: string) => Promise<Report>): Promise<Report> {
  const scratch = mkdtempSync(join(tmpdir(), "cadre-conformance-"));
  try {
    return await use(scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function run(args: string[], cwd: string): Promise<Report> {
  const options = { cwd, maxBuffer: 64 * 1024 * 1024 };
  const ended = await promisify(execFile)(process.execPath, [SUITE, ...args, "-o", cwd], options).then(
    ({ stdout, stderr }) => ({ ok: true, output: stdout + stderr }),
    ({ stdout, stderr }: { stdout: string; stderr: string }) => ({ ok: false, output: stdout + stderr }),
  );
  const lines = ended.output.matchAll(/^[✓✗~] ([\w/-]+): (\d+ passed, \d+ failed)/gm);
  return { ...ended, checks: Object.fromEntries(Array.from(lines, ([, name, counts]) => [name!, counts!])) };
}

async function cadreServer(folder: string) {
  const runtime = await assembleRuntime({ folder, home: folder, env: { XDG_CONFIG_HOME: folder } });
  const parts: ApiParts = apiParts(runtime, false, {});
  const options = { host: "127.0.0.1", port: 0, names: [], page: BUILT_PAGE };
  const served = await serve(
    createPublicApp(parts, { keys: createAccessKeys(TOKEN), visitors: noUsers }, options),
  );
  return {
    url: served.url,
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await runtime.stop();
    },
  };
}

/** Serves the app over HTTP. The suite cannot send a token, so we add the token to each request. */
async function serve(app: Hono) {
  const { server, close } = createHttpServer(app);
  server.prependListener("request", ({ rawHeaders }) => {
    rawHeaders.push("Authorization", `Bearer ${TOKEN}`);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, [Symbol.asyncDispose]: close };
}

/** Parses lines such as `- scenario # reason`. */
export function expectedFailures(): Map<string, string> {
  const lines = readFileSync(EXPECTED, "utf8").matchAll(/^ {2}- (\S+)(?: # (.*))?$/gm);
  return new Map(Array.from(lines, ([, scenario, reason = ""]) => [scenario!, reason]));
}

function pageOf(reports: readonly [string, Report][]): string {
  const expected = expectedFailures();
  const parts = reports.map(([title, { checks }]) => {
    const rows = Object.entries(checks).map(
      ([scenario, counts]) => `| ${scenario} | ${counts} | ${expected.get(scenario) ?? ""} |`,
    );
    return [
      `## ${title}`,
      "",
      "| Scenario | Checks | Expected to fail, because |",
      "| --- | --- | --- |",
      ...rows,
    ];
  });
  return [INTRODUCTION, ...parts.flatMap((part) => [...part, ""])].join("\n");
}

const INTRODUCTION = `# MCP conformance

<!-- Generated by \`npm run conformance\`. -->

Results of the [MCP conformance suite](https://github.com/modelcontextprotocol/conformance), in the version that \`package.json\` pins. Its server scenarios cover
protocol version 2025-11-25 and older. \`src/api/mcp/mcp.test.ts\` and \`src/cli/commands/mcp.test.ts\` test the parts that only the stateless protocol (2026-07-28) has.
`;

if (process.argv[1] === import.meta.filename) {
  const reports: [string, Report][] = [
    ["Our client (`src/mcp`)", await conformClient()],
    ["Cadre's own server: the scenarios that need none of the suite's tools", await conformCadre()],
    ["A server with the suite's tools, over the same transport", await conformFixture()],
  ];
  writeFileSync(join(ROOT, "docs/conformance.md"), pageOf(reports));
  for (const [title, { ok, output }] of reports)
    process.stdout.write(ok ? `ok: ${title}\n` : `NOT OK: ${title}\n${output}\n`);
  process.exitCode = reports.every(([, { ok }]) => ok) ? 0 : 1;
}
