// Tests the API with random requests. No request causes an internal error, and every answer matches the API's description.
// Requests without the token are rejected.
// CADRE_FUZZ sets the number of requests.

import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Script } from "../../models/scripted/script.ts";
import { assembleRuntime, type RuntimeAssembly } from "../../runtime/assembly.ts";
import { createAccessKeys } from "../access/keys.ts";
import {
  type Api,
  CLERK,
  payTool,
  sendRequest,
  serveRuntime,
  tempProject,
  waitForApprovals,
} from "../fixtures/api.fixture.ts";
import { describeMismatch, type FuzzRequest, fuzzRequests } from "../fixtures/fuzz.fixture.ts";
import { noUsers } from "../fixtures/public-server.fixture.ts";
import { BUILT_PAGE, createPublicApp } from "../server/public-server.ts";
import type { OpenApi } from "../views/openapi.ts";

const REQUESTS = Number(process.env["CADRE_FUZZ"] ?? 2_000);
const TOKEN = "a-token-that-is-long-enough-for-it";

const clerk: Script = ({ turn }) =>
  turn > 1 ? { text: "done" } : { calls: [{ tool: "Pay", input: { to: "ann", amount: 5 } }] };

let project: ReturnType<typeof tempProject>;
let runtime: RuntimeAssembly;
let api: Api;
let document: OpenApi;
let known: string[];

beforeAll(async () => {
  project = tempProject({ "agents/clerk.md": CLERK, "agents/broken.md": "---\nname: [\n---\n" });
  const { folder } = project;
  runtime = await assembleRuntime({
    folder,
    home: folder,
    env: {},
    tools: [payTool().tool],
    scripts: { clerk },
  });
  api = await serveRuntime(runtime, folder);
  await runtime.start();
  document = (await sendRequest(api, "GET", "/openapi.json")).body;
  const { runId } = await api.client.post("/api/runs", {
    body: { agent: "clerk", task: "pay", sessionId: "s1" },
  });
  const [item] = await waitForApprovals(api, runId);
  known = [runId, item!.id, "clerk", "broken", "s1", "1"];
});
afterAll(async () => {
  await api.close();
  await runtime.stop();
  project.remove();
});

const options = {
  numRuns: REQUESTS,
  interruptAfterTimeLimit: Math.max(110_000, REQUESTS * 50),
  markInterruptAsFailure: true,
};

test(`[A59] ${REQUESTS} random requests cause no internal error, and every answer matches the API's description`, async () => {
  const seen = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(fuzzRequests(document, known), async (wild) => {
      const response = await api.app.request(wild.path, initOf(wild));
      const { status } = response;
      seen.set(status, (seen.get(status) ?? 0) + 1);
      const type = response.headers.get("Content-Type") ?? "";
      if (type.startsWith("text/event-stream")) {
        await response.body?.cancel();
        expect(wild.operation.responses["200"]?.content).toHaveProperty("text/event-stream");
        return;
      }
      expect(describeMismatch(document, wild.operation, status, type, await response.text())).toBeUndefined();
    }),
    options,
  );
  expect(api.problems).toEqual([]);
  // The requests must reach the handlers and not fail at the earlier checks.
  for (const status of [200, 201, 202, 400, 404])
    expect(seen.get(status) ?? 0, `${status}`).toBeGreaterThan(0);
});

test(`[A14] ${REQUESTS} random requests without the token are all rejected, and nothing changes`, async () => {
  const app = createPublicApp(
    api.parts,
    { keys: createAccessKeys(TOKEN), visitors: noUsers },
    {
      host: "127.0.0.1",
      port: 0,
      names: [],
      page: BUILT_PAGE,
    },
  );
  const before = (await runtime.store.usage.totals()).runs;
  await fc.assert(
    fc.asyncProperty(fuzzRequests(document, known), fc.constantFrom(...LIES), async (wild, lie) => {
      const init = initOf(wild);
      const headers = { ...init.headers, Host: "localhost", ...lie };
      const response = await app.request(`http://localhost${wild.path}`, { ...init, headers });
      // A hook needs no token, but a proof of its own (TR6). No hook is configured here.
      if (/^\/hooks\/[\w-]{1,40}(\?|$)/.test(wild.path)) {
        expect(response.status).toBeGreaterThanOrEqual(400);
        return;
      }
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ error: { code: "UNAUTHORIZED" } });
    }),
    options,
  );
  expect(sum((await runtime.store.usage.totals()).runs)).toBe(sum(before));
});

const LIES: Record<string, string>[] = [
  {},
  { Authorization: "Bearer " },
  { Authorization: `Bearer ${TOKEN.slice(0, -1)}` },
  { Authorization: `bearer ${TOKEN}x` },
  { Authorization: `Basic ${btoa(`x:${TOKEN}`)}` },
  { Cookie: `cadre=${TOKEN}; token=${TOKEN}` },
  { "X-Forwarded-For": "127.0.0.1", "X-Forwarded-Host": "localhost" },
];

const sum = (counts: Partial<Record<string, number>>): number =>
  Object.values(counts).reduce<number>((total, count) => total + (count ?? 0), 0);

const initOf = ({ method, headers, body }: FuzzRequest) => ({
  method,
  headers,
  ...(body === undefined ? {} : { body }),
});
