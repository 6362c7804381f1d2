// Tests the safe defaults of a program that embeds Cadre: calls ask, and pages of other sites cannot use the API.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { type CadreOptions, createCadre, defineAgent, defineTool } from "../index.ts";
import { scriptedModel } from "../testing.ts";

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function open(options: CadreOptions) {
  const folder = mkdtempSync(join(tmpdir(), "cadre-library-"));
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const cadre = await createCadre({ folder, store: ":memory:", ...options });
  cleanUps.push(() => cadre.close());
  return cadre;
}

test.each([
  ["unsafe", { effect: "unsafe", reaches: ["network"] }, true],
  ["unsafe, and says that it reaches nothing", { effect: "unsafe", reaches: [] }, true],
  ["without an effect", { reaches: ["network"] }, true],
  ["without an effect and without reaches", {}, true],
  ["idempotent", { effect: "idempotent", reaches: ["network"] }, true],
  ["a read", { effect: "read" }, false],
  ["unsafe, with `approve: false`", { effect: "unsafe", reaches: ["network"], approve: false }, false],
] as const)("[30.18] whether the call of a tool of the program asks: %s", async (_, options, asks) => {
  const pay = defineTool({
    ...{ name: "pay", description: "Pays.", input: z.object({}), execute: () => "paid" },
    ...options,
  });
  const model = scriptedModel([{ calls: [{ tool: "pay", input: {} }] }, { text: "Paid." }]);
  const cadre = await open({ agents: [defineAgent({ name: "clerk", prompt: "Pay.", model, tools: [pay] })] });
  const run = cadre.run("clerk", "Pay");
  const status = async () => (await run.status()).status;
  await expect.poll(status).toMatch(/suspended|completed/);
  expect(await status()).toBe(asks ? "suspended" : "completed");
});

test("[A77] `cadre.handler` refuses a page of another site that uses the person's cookie", async () => {
  const pay = defineTool({ name: "pay", description: "Pays.", input: z.object({}), execute: () => "paid" });
  const model = scriptedModel([{ calls: [{ tool: "pay", input: {} }] }, { text: "Paid." }]);
  const clerk = defineAgent({ name: "clerk", prompt: "Pay.", model, tools: [pay] });
  const cadre = await open({ agents: [clerk] });
  const handle = cadre.handler({ authorize: () => "ann" });
  const run = cadre.run(clerk, "Pay");
  await expect.poll(async () => (await run.status()).status).toBe("suspended");
  const cancel = async (headers: Record<string, string>, method = "POST") =>
    (await handle(new Request(`http://app.test/api/runs/${await run.id}/nothing`, { method, headers })))
      .status;
  const foreign = [
    { "Sec-Fetch-Site": "cross-site", Cookie: "s=1" },
    { "Sec-Fetch-Site": "cross-site", Origin: "http://app.test", Host: "app.test" },
    { Origin: "http://evil.test", Host: "app.test" },
    { Origin: "http://app.test:81", Host: "app.test" },
    { Origin: "null", Host: "app.test" },
  ];
  for (const headers of foreign) expect([headers, await cancel(headers)]).toEqual([headers, 403]);
  const own = [
    {},
    { "Sec-Fetch-Site": "same-origin" },
    { Origin: "https://app.test", Host: "app.test" },
    { "Sec-Fetch-Site": "cross-site", Authorization: "Bearer of-the-program" },
  ];
  for (const headers of own) expect([headers, await cancel(headers)]).not.toEqual([headers, 403]);
  await run.cancel();
});
