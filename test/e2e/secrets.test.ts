// Puts canary secrets everywhere a run can encounter them. Afterwards no file or output of Cadre contains a canary in any encoding.
// The test uses real parts: the command line as a process, SQLite on disk, a streaming provider over HTTP, and the shell.

import { randomBytes } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serveRuntime } from "../../src/api/fixtures/api.fixture.ts";
import { type Project, project } from "../../src/cli/cli.fixture.ts";
import { assembleRuntime } from "../../src/runtime/assembly.ts";

const word = (): string => randomBytes(18).toString("base64url");
/** The canaries: one in the environment, one in the project's `.env`, and the provider's API key. */
const CANARY = { env: `Env/${word()}+"q'`, file: `file-${word()}`, key: `prov:${word()}` };

const usage = { prompt_tokens: 100, completion_tokens: 20 };
const bash = (command: string) => ({
  toolCalls: [{ name: "Bash", arguments: JSON.stringify({ command }) }],
  usage,
});
/**
 * The model's answers. The index of an answer is the number of tool results in the prompt.
 * The answers contain the canaries, because a real model can know secrets: providers see keys, and people paste secrets.
 */
const STEPS = [
  { toolCalls: [{ name: "Read", arguments: '{"path":".env"}' }], usage },
  { toolCalls: [{ name: "Read", arguments: '{"path":"notes.txt"}' }], usage },
  bash("cat .env notes.txt; base64 .env; base64 -w0 notes.txt; od -An -tx1 -v .env | tr -d ' \\n'"),
  bash("head -c 19600 /dev/zero | tr '\\0' x; cat notes.txt; head -c 20000 /dev/zero | tr '\\0' y"),
  bash(`printenv; cat /proc/self/environ /proc/$PPID/environ | tr '\\0' '\\n'; echo ${CANARY.file}`),
  { content: `I saw ${CANARY.env} and ${CANARY.file}.`, reasoning: `It is ${CANARY.file}`, usage },
];

const mock = new LLMock({ port: 0, strict: true, logLevel: "silent", chunkSize: 5 });

beforeAll(async () => {
  mock.addFixture({
    match: { userMessage: "fail" },
    response: { error: { message: `There is no model for ${CANARY.key}` }, status: 400 },
  });
  STEPS.forEach((response, seen) => {
    mock.addFixture({
      match: {
        predicate: (request) => request.messages.filter(({ role }) => role === "tool").length === seen,
      },
      response,
    });
  });
  await mock.start();
});
afterAll(() => mock.stop());

async function canaryProject(): Promise<Project> {
  const p = await project({
    "agents/worker.md": `---\ndescription: works\nmodel: local/any-model\n---\nThe key is ${CANARY.env}.\n`,
    "cadre.yaml": `providers:\n  local: { type: openai-compatible, baseURL: "${mock.url}/v1", apiKeyEnv: MY_PROVIDER }\n`,
    ".env": `# settings\nPORT=8080\nDB_PASSWORD=${CANARY.file}\n`,
    "notes.txt": `${"a line of text, long enough to be broken\n".repeat(9)}remember ${CANARY.env} and ${CANARY.file}\n`,
  });
  Object.assign(p.env, { CADRE_TRUST: "1", SERVICE_TOKEN: CANARY.env, MY_PROVIDER: CANARY.key });
  return p;
}

/** Every encoding of each canary, and the first half of each canary. */
const TRACES = Object.values(CANARY).flatMap((value) => {
  const bytes = Buffer.from(value);
  const shifted = ["", "x", "xy"].map((before) =>
    Buffer.from(before + value)
      .toString("base64")
      .slice(4, -4),
  );
  const whole = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value), bytes.toString("hex")];
  return [...whole, ...shifted, value.slice(0, 14), value.slice(-14)];
});

function expectNoTrace(what: string, content: string | Buffer): void {
  const text = (typeof content === "string" ? content : content.toString("latin1")).replaceAll(/\r?\n/g, "");
  for (const trace of TRACES) expect(text.includes(trace), `${trace} in ${what}`).toBe(false);
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => lstatSync(path).isFile());
}

describe("[A61] [A32] a run that encounters secrets in many places", () => {
  it("the run writes no secret to the database, log, blobs, streams or problem reports", async () => {
    await using p = await canaryProject();
    const problems: string[] = [];
    const runtime = await assembleRuntime({
      folder: p.folder,
      env: p.env,
      home: p.env["HOME"]!,
      onProblem: ({ message, error }) => problems.push(`${message} ${String(error)}`),
    });
    const api = await serveRuntime(runtime, p.folder);
    await runtime.start();
    const { runId } = await runtime.admit(
      {
        agent: "worker",
        task: `go; the password is ${CANARY.file}`,
        input: { [CANARY.env]: [CANARY.env] },
        permissions: {
          // `.env` holds keys, and notes.txt a copy of one. A command that shows pieces of them needs a rule that names exactly this command.
          allow: [
            "Bash",
            "Read",
            "Bash(cat .env notes.txt)",
            "Bash(base64 .env)",
            "Bash(base64 -w0 notes.txt)",
            "Bash(cat notes.txt)",
            "Bash(od -An -tx1 -v .env)",
          ],
          ask: [],
          deny: [],
        },
      },
      `key ${CANARY.file}`,
    );
    const stream = await readStream(api.fetch, `/api/runs/${runId}/events?stream=1`);
    expect(stream).toContain("RUN_COMPLETED");
    expect(stream).toContain("⟦secret SERVICE_TOKEN⟧");
    expect(stream).toContain("⟦secret DB_PASSWORD⟧");
    expect(stream.match(/text\.delta/g)?.length, "it was streamed").toBeGreaterThan(3);
    expectNoTrace("the stream of events", stream);
    for (const type of ["text", "reasoning", "tool-output"]) {
      const heard = deltasIn(stream, `${type}.delta`);
      expect(heard, type).toContain("⟦secret DB_PASSWORD⟧");
      expectNoTrace(`deltas of ${type}, put together`, heard);
    }

    const bad = await api.fetch(`http://cadre/api/runs/${encodeURIComponent(CANARY.env)}`);
    expectNoTrace("an answer", await bad.text());

    const store = filesBelow(join(p.folder, ".cadre"));
    expect(store.map((path) => path.replace(/.*\//, ""))).toEqual(
      expect.arrayContaining(["cadre.db", "cadre.db-wal", "cadre.db-shm"]),
    );
    for (const path of store) expectNoTrace(path, readFileSync(path));
    expectNoTrace("problems", problems.join("\n"));
    expectNoTrace("the requests of the model", JSON.stringify(mock.getRequests().map(({ body }) => body)));

    const started = (await runtime.store.journal.read(runId))[0]!;
    const state = await runtime.store.runs.get(runId);
    expect(started.payload).toMatchObject({ task: "go; the password is ⟦secret DB_PASSWORD⟧" });
    expect(state).toMatchObject({ status: "completed" });
    await api.close();
    await runtime.stop();
    for (const path of filesBelow(join(p.folder, ".cadre"))) expectNoTrace(path, readFileSync(path));
  });

  it("the command line prints no secret", async () => {
    await using p = await canaryProject();
    const said: string[] = [];
    const say = async (...args: string[]) => {
      const { code, stdout, stderr } = await p.cadre(...args);
      said.push(stdout, stderr);
      return { code, stdout, stderr };
    };
    const done = await p.spawn("run", "--yes", `go with ${CANARY.env}`);
    said.push(done.stdout, done.stderr);
    expect(done, done.stderr).toMatchObject({ code: 0 });
    expect(done.stdout).toContain("⟦secret SERVICE_TOKEN⟧");
    const failed = await say("run", "--yes", "--json", "fail");
    expect(failed.code).not.toBe(0);
    expect(failed.stdout).toContain("⟦secret MY_PROVIDER⟧");
    const { stdout } = await say("runs", "--json");
    const runs = JSON.parse(stdout) as { id: string }[];
    expect(runs).toHaveLength(2);
    for (const { id } of runs) {
      await say("show", id);
      await say("show", id, "--events", "--json");
      await say("tail", id, "--json");
      expect((await say("verify", id)).code).toBe(0);
    }
    await say("doctor");
    await say("agents", "prompt", "worker");
    await say("cancel", runs[0]!.id, "--reason", CANARY.file);
    await say("run", "--model", CANARY.key, "x");
    p.env["CADRE_PORT"] = CANARY.env;
    p.env["CADRE_DEBUG"] = "1";
    expect((await say("runs")).stderr).toContain("⟦secret SERVICE_TOKEN⟧");
    expectNoTrace("what was said", said.join("\n"));
    for (const path of filesBelow(join(p.folder, ".cadre"))) expectNoTrace(path, readFileSync(path));
  });

  it("a process that crashes unexpectedly prints no secret", async () => {
    await using p = await canaryProject();
    await p.write("crash.mjs", "setTimeout(() => { throw new Error(process.env.SERVICE_TOKEN); }, 100);\n");
    p.env["NODE_OPTIONS"] = `--import=${join(p.folder, "crash.mjs")}`;
    const { code, stdout, stderr } = await p.spawn("run", "--yes", "go");
    expect(code).toBe(1);
    expect(stderr).toContain("⟦secret SERVICE_TOKEN⟧");
    expectNoTrace("a crash", stdout + stderr);
  });

  it("only this user can read the files that Cadre creates, whatever the umask is", async () => {
    const before = process.umask(0);
    try {
      await using p = await canaryProject();
      delete p.env["CADRE_TRUST"];
      await p.spawn("trust");
      const runtime = await assembleRuntime({ folder: p.folder, env: p.env, home: p.env["HOME"]! });
      await runtime.admit({ agent: "worker", task: "go" });
      const own = [join(p.folder, ".cadre"), join(p.env["HOME"]!, ".config", "cadre")];
      for (const folder of own) {
        expect(statSync(folder).mode & 0o777, folder).toBe(0o700);
        for (const path of filesBelow(folder)) expect(statSync(path).mode & 0o777, path).toBe(0o600);
      }
      await runtime.stop();
    } finally {
      process.umask(before);
    }
  });
});

async function readStream(
  fetch: (url: string, init?: RequestInit) => Promise<Response>,
  path: string,
): Promise<string> {
  const response = await fetch(`http://cadre${path}`, { headers: { Accept: "text/event-stream" } });
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk, { stream: true });
    if (/event: end\n/.test(text)) break;
  }
  return text;
}

/** The full text that a reader sees after joining the streamed pieces. */
const deltasIn = (stream: string, type: string): string =>
  Array.from(stream.matchAll(/^data: (.*)$/gm), (found) => JSON.parse(found[1]!) as Record<string, string>)
    .filter((frame) => frame["type"] === type)
    .map((frame) => frame["text"])
    .join("");
