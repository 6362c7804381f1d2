// Tests how a person answers an agent's question: at the terminal, or with a command.

import { expect, test } from "vitest";
import { agent, project } from "../cli.fixture.ts";

const painter = () =>
  project({
    "agents/paint.md": agent("paint").replace("---\n", "---\ntools: [AskUser]\n"),
    "paint.script.yaml": `turns:
  - when: { turn: 1 }
    calls:
      - tool: AskUser
        input: { question: Which colour?, choices: [red, blue], why: the door is to be painted }
  - report: { summary: "\${lastResult}" }
`,
  });

test("at a terminal, an agent's question is shown with its choices and its reason, and only one of the choices is accepted as an answer", async () => {
  await using p = await painter();
  const terminal = p.terminal("run", "paint the door");
  await terminal.sees(
    /paint asks you[\s\S]*agent says: the door is to be painted[\s\S]*answers: red, blue[\s\S]*Which colour\?/,
  );
  await terminal.press("a", /Answer: /);
  terminal.type("green\r");
  await terminal.sees(/This is answered with one of: red, blue\./);
  await terminal.press("a", /Answer: $/m);
  terminal.type("blue\r");
  expect(await terminal.code).toBe(0);
  expect(terminal.text()).toMatch(/Answered by \S+: blue/);
});

test("without a terminal, the run waits until a command answers the question, whichever process drives the run", async () => {
  await using p = await painter();
  const asked = (await p.spawn("run", "--json", "paint the door")).lines().at(-1)!;
  expect(asked).toMatchObject({
    type: "needs_person",
    waitingOn: { kind: "question" },
    approvals: [{ kind: "question", itemId: "m1.0", detail: "Which colour?", choices: ["red", "blue"] }],
  });
  const id = `${asked["runId"] as string}:m1.0`;
  const listed = await p.cadre("approve");
  expect(listed.stdout).toContain(`cadre approve ${id} --answer "…"`);
  expect((await p.cadre("approve", id)).stderr).toContain("This is a question: answer it, or reject it.");
  expect((await p.cadre("approve", id, "--answer", "red")).code).toBe(0);
  expect((await p.cadre("approve", id, "--answer", "blue")).stderr).toContain('(answer "red"');
  const done = await p.cadre("run", "--json");
  expect(done.lines().at(-1)).toMatchObject({ status: "completed", summary: expect.stringContaining("red") });
});
