import { afterEach, expect, onTestFinished, test } from "vitest";
import { agent, type Project, project } from "../cli/cli.fixture.ts";
import { type CadreOptions, createCadre } from "./create-cadre.ts";

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

async function program(options: CadreOptions = {}) {
  place ??= await project({ "agents/clerk.md": agent("clerk"), "clerk.script.yaml": script });
  const cadre = await createCadre({ folder: place.folder, env: place.env, ...options });
  onTestFinished(() => cadre.close());
  return { cadre, place };
}

test("[E1] `cadre approve` connects to the program that embeds Cadre, and the program continues the approved run", async () => {
  const { cadre, place } = await program();
  const run = cadre.run("clerk", "Write it");
  const id = await run.id;
  await expect.poll(async () => (await run.status()).status).toBe("suspended");
  expect((await place.spawn("approve", id)).stderr).toBe("");
  expect((await run).text).toBe("Written.");
  expect((await place.cadre("verify", id)).code).toBe(0);
});

test("[E1] a second program gets a one-sentence error, and can start after the first program has closed the store", async () => {
  const { cadre } = await program();
  const refused = program();
  await expect(refused).rejects.toMatchObject({ code: "STORE_OWNED" });
  await expect(refused).rejects.toThrow(`Process ${process.pid} owns the store and may be using it.`);
  await cadre.close();
  await program();
});

test("several programs can use stores in memory at the same time", async () => {
  await program({ store: ":memory:" });
  await program({ store: ":memory:" });
});

test("[27.1] a program can keep its store in a folder that exists already, such as its own", async () => {
  const { cadre } = await program({ store: "cadre.db" });
  const run = cadre.run("clerk", "Write it");
  await expect.poll(async () => (await run.status()).status).toBe("suspended");
  await cadre.close();
  await program({ store: "cadre.db" });
});
