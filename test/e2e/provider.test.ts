// An agent does real work: one agent file, the real command line, and a server that speaks OpenAI's protocol.
// One test kills Cadre with `kill -9` while the agent works.

import { existsSync, readFileSync, watch } from "node:fs";
import { dirname, join } from "node:path";
import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Project, project } from "../../src/cli/cli.fixture.ts";

const mock = new LLMock({ port: 0, strict: true, logLevel: "silent" });
const usage = { prompt_tokens: 100, completion_tokens: 20 };

/** The model's answers. The index of an answer is the number of tool results in the prompt. */
const STEPS = [
  { toolCalls: [{ name: "Read", arguments: '{"path":"todo.txt"}' }], usage },
  { toolCalls: [{ name: "Write", arguments: '{"path":"done.txt","content":"greeted\\n"}' }], usage },
  { toolCalls: [{ name: "Bash", arguments: '{"command":"echo once >> effects.log; sleep 2"}' }], usage },
  { content: "All of it is done.", usage },
];

beforeAll(async () => {
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

function worker(): Promise<Project> {
  return project({
    "agents/worker.md":
      "---\ndescription: does what todo.txt says\nmodel: local/any-model\n---\nDo what todo.txt says.\n",
    "cadre.yaml": `providers:\n  local: { type: openai-compatible, baseURL: "${mock.url}/v1" }\n`,
    "todo.txt": "greet, then report\n",
  });
}

describe("an agent on an OpenAI-compatible server", () => {
  it("the agent completes its task by reading, writing and running commands", async () => {
    await using p = await worker();
    p.env["CADRE_TRUST"] = "1";
    const done = await p.spawn("run", "--yes", "do it");
    expect(done).toMatchObject({ code: 0 });
    expect(done.stdout).toContain("All of it is done.");
    expect(readFileSync(join(p.folder, "done.txt"), "utf8")).toBe("greeted\n");
    expect(readFileSync(join(p.folder, "effects.log"), "utf8")).toBe("once\n");
    expect(done.stdout, "an unknown price is not zero").toContain("unknown");
  });

  it("[F03] after a kill in the middle of an unsafe command, Cadre repeats nothing and asks a person for the outcome", async () => {
    await using p = await worker();
    p.env["CADRE_TRUST"] = "1";
    const asked = mock.getRequests().length;
    const first = p.start("run", "--yes", "do it");
    await untilFile(join(p.folder, "effects.log"));
    first.process.kill("SIGKILL");
    await first.end();

    const second = await p.spawn("run", "--yes");
    expect(second.code, second.stdout + second.stderr).toBe(3);
    expect(second.stdout).toMatch(/cadre outcome \S+ m3\.0 happened/);
    const [, runId] = /cadre outcome (\S+) m3\.0/.exec(second.stdout)!;

    expect((await p.cadre("outcome", runId!, "m3.0", "happened", "--output", "it ran")).code).toBe(0);
    const third = await p.spawn("run", "--yes");
    expect(third).toMatchObject({ code: 0 });
    expect(third.stdout).toContain("All of it is done.");
    expect(readFileSync(join(p.folder, "effects.log"), "utf8")).toBe("once\n");
    expect(mock.getRequests().length - asked, "P3: four answers, four requests").toBe(4);
    expect((await p.cadre("verify", runId!)).code).toBe(0);
  });

  it("[A53] Cadre does not call an endpoint that an untrusted project names", async () => {
    await using p = await worker();
    const refused = await p.spawn("run", "--yes", "do it");
    expect(refused.code).not.toBe(0);
    expect(refused.stderr + refused.stdout).toMatch(/trust/);
  });
});

/** Resolves when the command has written the file. The command has not ended at this point. */
async function untilFile(path: string): Promise<void> {
  const written = (): boolean => existsSync(path) && readFileSync(path, "utf8") !== "";
  if (written()) return;
  await new Promise<void>((resolve) => {
    const watcher = watch(dirname(path), () => {
      if (!written()) return;
      watcher.close();
      resolve();
    });
    if (written()) {
      watcher.close();
      resolve();
    }
  });
}
