// Tests what a steps module can do to the machine. Each attack runs in a real process, inside and outside of a sandbox.

import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSteps } from "./steps-host.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "cadre-steps-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Expressions that a hostile module evaluates. Each must throw, or give undefined. */
const ATTACKS: [string, string][] = [
  ["reads the token", `fs.readFileSync("${folder}/.cadre/token", "utf8")`],
  ["reads keys", `fs.readFileSync("${folder}/.env", "utf8")`],
  ["lists the project", `fs.readdirSync("${folder}")`],
  ["reads the server's environment", "fs.readFileSync('/proc/' + process.ppid + '/environ', 'utf8')"],
  ["reads its own first environment", "fs.readFileSync('/proc/self/environ', 'utf8')"],
  ["has a variable of the server", "process.env.CADRE_SECRET_OF_TEST"],
  ["writes", `fs.writeFileSync("${folder}/ran", "1")`],
  ["links a file to itself", `fs.symlinkSync("${folder}/.env", "${folder}/agents.json")`],
  ["starts a program", `child.execSync("touch ${folder}/ran")`],
  ["starts a thread", "new threads.Worker('1', { eval: true })"],
  ["loads native code", `process.dlopen({ exports: {} }, "${folder}/x.node")`],
  ["uses internals", "process.binding('fs')"],
  ["opens the server's debugger", "process._debugProcess(process.ppid)"],
  ["kills the server", "process.kill(process.ppid, 0)"],
];

const MODULE = `
import child from "node:child_process";
import fs from "node:fs";
import threads from "node:worker_threads";
export default function* ({ task }) {
  let answer = yield { kind: "prompt", arguments: { text: task } };
  for (;;) {
    let said;
    try { said = { value: eval(answer) }; } catch (error) { said = { thrown: String(error.message) }; }
    answer = yield said;
  }
}
`;

const load = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return startSteps({
    key: name + text,
    url: pathToFileURL(path).href,
    reads: [path],
    confine: async (argv) => argv,
  });
};

beforeAll(() => {
  process.env["CADRE_SECRET_OF_TEST"] = "hunter2";
  writeFileSync(join(folder, ".env"), "KEY=hunter2\n");
});

test("[A82] [30.3] a steps module reaches no secret, no file, no program and no other process", async () => {
  const main = await load("evil.mjs", MODULE);
  const steps = main({ task: "go", input: undefined });
  expect(steps.next()).toEqual({ done: false, value: { kind: "prompt", arguments: { text: "go" } } });
  for (const [what, attack] of ATTACKS) {
    const { value } = steps.next(attack) as { value: { value?: unknown; thrown?: string } };
    expect(value.value, `${what}: ${JSON.stringify(value)}`).toBeUndefined();
  }
  // Shows that the module runs at all: an expression that is allowed returns a value.
  expect(steps.next("1 + 1")).toEqual({ done: false, value: { value: 2 } });
  expect(existsSync(join(folder, "ran"))).toBe(false);
});

test("[A82] a steps module that ends its process stops neither Cadre nor another module", async () => {
  const dead = (await load("dead.mjs", "export default function* () { yield 1; process.exit(3); }"))({
    task: "",
    input: 0,
  });
  expect(dead.next()).toEqual({ done: false, value: 1 });
  expect(() => dead.next()).toThrow(/process ended/);
  const good = (await load("good.mjs", "export default function* () { const a = yield 1; return a; }"))({
    task: "",
    input: 0,
  });
  expect(good.next()).toEqual({ done: false, value: 1 });
  expect(good.next("x")).toEqual({ done: true, value: "x" });
});

test("if a steps module's process is lost, the module continues in a new process with the answers it already got", async () => {
  const source = "export default function* () { let all = ''; for (;;) all += yield all; }";
  const main = await load("memory.mjs", source);
  const one = main({ task: "", input: 0 });
  one.next();
  expect(one.next("a").value).toBe("a");
  expect(one.next("b").value).toBe("ab");
  // Starting this many other modules ends the process of the first module.
  const others = Array.from({ length: 17 }, (_, n) =>
    load(`other${n}.mjs`, "export default function* () {}"),
  );
  await Promise.all(others);
  expect(one.next("c").value).toBe("abc");
});
