// Tests an agent with a steps module. Real processes run it in a folder without an installed Cadre.

import { expect, test } from "vitest";
import { agent, project } from "../cli.fixture.ts";

const MODULE = `import { type Steps, ask, tool } from "cadre";

export default function* (): Steps {
  const note = yield* tool("Read", { path: "note.txt" });
  const go = yield* ask("Ship it?", { choices: ["yes", "no"] });
  return \`\${note.isError ? "no note" : "note read"}, answer \${go}\`;
}
`;

const shipper = () =>
  project({
    "agents/ship.md": agent("ship").replace("---\n", "---\nsteps: ./ship.steps.ts\n"),
    "agents/ship.steps.ts": MODULE,
    "ship.script.yaml": "turns:\n  - text: never asked\n",
    "note.txt": "hello\n",
  });

test("a steps module runs only in a trusted folder; a command can answer the module's question, whichever process drives the run", async () => {
  await using p = await shipper();
  const first = await p.cadre("run", "--json", "ship it now");
  expect(first).toMatchObject({ code: 3, stderr: "" });
  const held = first.lines().at(-1)!;
  expect(held).toMatchObject({ type: "needs_person", waitingOn: { kind: "definition_changed" } });
  expect(JSON.stringify(held)).toContain("this folder is not trusted (`cadre trust`)");

  expect((await p.cadre("trust")).code).toBe(0);
  const runId = held["runId"] as string;
  expect((await p.cadre("resume", runId)).code).toBe(0);
  const asked = await p.cadre("run", "--json");
  expect(asked.lines().at(-1)).toMatchObject({
    type: "needs_person",
    approvals: [{ kind: "question", detail: "Ship it?", choices: ["yes", "no"] }],
  });
  const wrong = await p.cadre("approve", `${runId}:question/1`, "--answer", "perhaps");
  expect(wrong.stderr).toContain("This is answered with one of: yes, no.");
  expect((await p.cadre("approve", `${runId}:question/1`, "--answer", "yes")).code).toBe(0);
  const done = await p.spawn("run", "--json");
  expect(done.lines().at(-1)).toMatchObject({ status: "completed", summary: "note read, answer yes" });
}, 60_000);

test.each([
  ["of a folder that is not trusted", MODULE, "", /is not run: this folder is not trusted \(`cadre trust`\)/],
  ["that is not a `function*`", "export default () => 1;\n", "1", /its default export is not a `function\*`/],
])("[M5] a steps module %s is not reported as changed", async (_, module, trust, why) => {
  await using p = await shipper();
  await p.write("agents/ship.steps.ts", module);
  p.env["CADRE_TRUST"] = trust;
  const { code, stdout } = await p.cadre("run", "ship it now");
  expect(code).toBe(3);
  const [, runId] = /cadre resume (\w+)/.exec(stdout)!;
  const said = [stdout, (await p.cadre("show", runId!)).stdout, (await p.cadre("why", runId!)).stdout];
  for (const text of said) {
    expect(text).toMatch(why);
    expect(text).not.toMatch(/definition|changed|another/);
  }
});

test("at a terminal, a module's question is shown with its choices, and the person answers the question there", async () => {
  await using p = await shipper();
  p.env["CADRE_TRUST"] = "1";
  const terminal = p.terminal("run", "ship it now");
  await terminal.sees(/ship asks you[\s\S]*answers: yes, no[\s\S]*Ship it\?/);
  await terminal.press("a", /Answer: /);
  terminal.type("no\r");
  expect(await terminal.code).toBe(0);
  expect(terminal.text()).toContain("note read, answer no");
});

test("a module that cannot be loaded is reported as an error of its agent, with file and line", async () => {
  await using p = await shipper();
  await p.write("agents/ship.steps.ts", "export default function* () {\n  const = 1;\n}\n");
  const broken = await p.cadre("agents", "validate");
  expect(broken.code).not.toBe(0);
  expect(broken.stdout + broken.stderr).toMatch(
    /agents\/ship\.md:2:\d+ .*module `\.\/ship\.steps\.ts` cannot be read \(line 2\)/,
  );
  await p.write("agents/ship.steps.ts", "export const steps = 1;\n");
  const without = await p.cadre("agents", "validate");
  expect(without.stdout + without.stderr).toContain("has no default export");
});
