import { afterEach, expect, onTestFinished, test } from "vitest";
import { agent, type Project, project } from "../cli/cli.fixture.ts";
import type { AssemblyOptions } from "./assembly.ts";
import { createRuntime } from "./embed.ts";

let place: Project | undefined;
afterEach(async () => {
  await place?.[Symbol.asyncDispose]();
  place = undefined;
});

const script = `turns:
  - when: { turn: 1 }
    calls: [{ tool: Write, input: { path: a.txt, content: "one" } }]
  - report: { summary: Written. }
`;

async function program(options: Partial<AssemblyOptions> = {}) {
  place ??= await project({ "agents/clerk.md": agent("clerk"), "clerk.script.yaml": script });
  const runtime = await createRuntime({ folder: place.folder, env: place.env, ...options });
  onTestFinished(() => runtime.stop());
  return { runtime, place };
}

test("[E1] a command is a client of the program that embeds Cadre; the program continues a run that `cadre approve` has approved", async () => {
  const { runtime, place } = await program();
  await runtime.start();
  const ended = new Promise<string>((resolve) =>
    runtime.on("agent:completed", ({ result }) => resolve(result.summary)),
  );
  const { runId } = await runtime.admit({ agent: "clerk", task: "Write it" });
  await expect.poll(async () => (await runtime.run(runId))?.status).toBe("suspended");
  expect((await place.spawn("approve", runId)).stderr).toBe("");
  expect(await ended).toBe("Written.");
  expect((await place.cadre("verify", runId)).code).toBe(0);
});

test("[E1] a second program is refused with a one-sentence error, and can start after the first has stopped", async () => {
  const { runtime } = await program();
  const refused = program();
  await expect(refused).rejects.toMatchObject({ code: "STORE_OWNED" });
  await expect(refused).rejects.toThrow(`Process ${process.pid} owns the store and may be using it.`);
  await runtime.stop();
  await program();
});

test("several programs can each have a store in memory", async () => {
  const flags = { store: "sqlite::memory:" };
  await program({ flags });
  await program({ flags });
});
