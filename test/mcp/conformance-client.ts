// The program that runs Cadre's MCP client for the conformance suite.
// The suite passes the server's address as the last argument. An environment variable names the scenario.

import { systemClock } from "../../src/clock.ts";
import { createConnection } from "../../src/mcp/reconnecting-connection.ts";

const url = process.argv.at(-1)!;
const connection = createConnection({
  name: "conformance",
  server: { url, elicitation: "defaults" },
  folder: process.cwd(),
  environment: {},
  env: {},
  clock: systemClock,
});
const { tools } = await connection.list();
const inputs: Record<string, Record<string, unknown>> = { add_numbers: { a: 5, b: 3 } };
for (const tool of tools) await connection.call(tool, inputs[tool.name] ?? {}, AbortSignal.timeout(30_000));
await connection.close();
