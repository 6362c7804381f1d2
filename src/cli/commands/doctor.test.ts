// Tests how `cadre doctor` reports problems with a provider or a port.

import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type Project, project } from "../cli.fixture.ts";

test.each([
  [200, 0, 0, [["ok", "provider: own answers, and accepts the key"]]],
  [401, 0, 1, [["bad", "provider: own answers, but refuses the key (401)\n      check OWN_KEY"]]],
  [503, 0, 0, [["warn", "provider: own answers with 503\n      try later"]]],
  [200, 3_600_000, 0, [["warn", "clock: 60 minutes behind the clock of own\n      set the clock"]]],
])(
  "[U55] doctor checks a provider that answers with status %i and whose clock is off by %i ms",
  async (status, off, code, expected) => {
    const heard: unknown[] = [];
    const baseURL = await serve((request, response) => {
      heard.push(request.url, request.headers.authorization);
      response.writeHead(status, { date: new Date(Date.now() + off).toUTCString() }).end("{}");
    });
    await using p = await withProvider(baseURL);
    const said = await p.cadre("doctor");
    expect(heard).toEqual(["/v1/models", "Bearer a-key-that-nobody-sees"]);
    for (const [state, words] of expected) expect(said.stdout).toContain(`${state!.padEnd(4)}  ${words}`);
    expect(said.stdout).not.toContain("a-key-that");
    expect(said.code).toBe(code);
  },
);

test("[25.1] `doctor` and `agents explain` list the instruction files that agents read, and report problems in other files", async () => {
  await using p = await project({
    "AGENTS.md": "See @gone.md",
    "agents/a.md": "---\ndescription: d\n---\nHi.",
  });
  const problem = "gone.md does not exist.";
  p.env["CADRE_TRUST"] = "1";
  const checked = await p.cadre("doctor");
  expect(checked.stdout).toContain("ok    instructions: every agent is told AGENTS.md");
  expect(checked.stdout).toContain(`warn  instructions: ${problem}`);
  const explained = await p.cadre("agents", "explain", "a");
  expect(explained.stdout).toMatch(/^Reads +AGENTS\.md \(12 characters\)$/m);
  expect(explained.stdout).toContain(problem);
  p.env["CADRE_TRUST"] = "";
  expect((await p.cadre("agents", "explain", "a")).stdout).toContain(
    "as untrusted text: `cadre trust` changes that",
  );
});

test("[U55] [F35] doctor reports a provider that cannot be reached, and says what happens to runs", async () => {
  await using p = await withProvider("http://127.0.0.1:2/v1");
  const { code, stdout } = await p.cadre("doctor");
  expect(stdout).toContain(
    "bad   provider: own cannot be reached at 127.0.0.1:2 (ECONNREFUSED); runs wait for it",
  );
  expect(code).toBe(1);
});

test("[U55] doctor reports a provider that is unknown, or configured in an untrusted folder", async () => {
  await using p = await withProvider("http://127.0.0.1:2/v1");
  p.env["CADRE_TRUST"] = "";
  const { code, stdout } = await p.cadre("doctor");
  expect(stdout).toContain("bad   provider: own is unknown here, so agents that use it cannot run");
  expect(stdout).toContain("run `cadre trust`");
  expect(stdout).not.toContain("Cannot read");
  expect(code).toBe(1);
});

test("[U55] doctor says whether `cadre up` can use its port; if not, it names the Cadre process or says that another program uses the port", async () => {
  await using p = await project({});
  p.env["CADRE_PORT"] = new URL(await serve((_, response) => response.end("hello"))).port;
  expect((await p.cadre("doctor")).stdout).toMatch(
    /^warn {2}port: .*another program uses it[\s\S]*--port <n>/m,
  );
  p.env["CADRE_PORT"] = "0";
  expect((await p.cadre("doctor")).stdout).toMatch(/^ok {4}port: 127\.0\.0\.1:0 is free/m);
  const up = p.start("up", "--no-open");
  const [, port] = await up.shows(/Cadre is up at http:\/\/127\.0\.0\.1:(\d+)/);
  p.env["CADRE_PORT"] = port!;
  expect((await p.cadre("doctor")).stdout).toMatch(/^ok {4}port: cadre up answers at 127/m);
  await using q = await project({});
  q.env["CADRE_PORT"] = port!;
  expect((await q.cadre("doctor")).stdout).toMatch(/^warn {2}port: .*the Cadre of another folder uses it/m);
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

async function withProvider(baseURL: string): Promise<Project> {
  const own = `{ type: openai-compatible, baseURL: "${baseURL}", apiKeyEnv: OWN_KEY }`;
  const p = await project({ "cadre.yaml": `model: own/some\nproviders: { own: ${own} }\n` });
  Object.assign(p.env, { CADRE_TRUST: "1", OWN_KEY: "a-key-that-nobody-sees", CADRE_PORT: "0" });
  return p;
}
