// Tests background commands with real processes and the real watcher. Only the journal is simulated.

import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { findKeyFiles } from "../../config/secrets.ts";
import { confinement } from "../bash.fixture.ts";
import { bashTool } from "../bash.ts";
import { bashInputTool } from "../bash-input.ts";
import { bashOutputTool } from "../bash-output.ts";
import { tempWorkspace } from "../temp-workspace.fixture.ts";
import type { BackgroundCommand, ToolAnswer, ToolContext } from "../tool.ts";
import { createBackgroundCommands } from "./background-commands.ts";
import { commandFolder, readOutput, stateOf, writeWhole } from "./command-folder.ts";
import { ownIdentity } from "./process-identity.ts";

const watcher = fileURLToPath(new URL("../../project/background-watcher.ts", import.meta.url));

async function world() {
  const folder = await tempWorkspace();
  const stateFolder = join(folder.path, ".cadre");
  const setup = {
    ...confinement("none", { folder: folder.path, stateFolder, keyFiles: findKeyFiles }),
    watcher,
  };
  const [bash, output, input] = [bashTool(setup), bashOutputTool(setup), bashInputTool(setup)];
  const known = new Map<string, BackgroundCommand>();
  const commands = createBackgroundCommands(stateFolder);
  let calls = 0;
  const context = (more: Partial<ToolContext> = {}): ToolContext => ({
    workspace: folder.path,
    runId: "r1",
    callId: `m1.${calls++}`,
    attempt: 1,
    key: "k",
    nonce: () => "n",
    background: async () => known,
    signal: new AbortController().signal,
    ...more,
  });
  /** Records what the answer says about a command, as the journal does. */
  const keep = (answer: ToolAnswer): ToolAnswer => {
    const { id, command = "", upTo = 0 } = answer.background ?? {};
    if (id !== undefined)
      known.set(id, { runId: "r1", command: command || known.get(id)?.command || "", upTo });
    return answer;
  };
  return {
    ...{ path: folder.path, stateFolder, commands, bash, context },
    start: async (command: string, more: object = {}, at?: Partial<ToolContext>) =>
      keep(await bash.execute({ command, background: true, ...more }, context(at))),
    output: async (id: string, more: object = {}) => keep(await output.execute({ id, ...more }, context())),
    type: (id: string, text: string, more: object = {}) =>
      input.execute({ id, input: text, ...more }, context()),
    async [Symbol.asyncDispose]() {
      await commands.stopRun("r1");
      await folder[Symbol.asyncDispose]();
    },
  };
}

const idOf = (answer: ToolAnswer): string => answer.background!.id;

test("[25.12] a server outlives its call; new output is shown once, and stopping ends the whole process group", async () => {
  await using w = await world();
  const started = await w.start("sleep 300 & echo ready; read -r line; echo got $line; wait");
  expect(started).toMatchObject({
    output: expect.stringMatching(/^ready\n\[background command m1\.0 is still running\]/),
    background: { id: "m1.0", pid: expect.any(Number), start: expect.any(String), upTo: 6 },
    sandbox: "none",
  });
  const id = idOf(started);
  expect(await w.output(id, { wait: 0 })).toMatchObject({
    output: expect.stringMatching(/^\(no new output\)\n/),
  });
  expect((await w.type(id, "seven")).output).toContain("sent to m1.0");
  expect((await w.output(id, { until: "got \\w+", wait: 20_000 })).output).toMatch(
    /^got seven\n\[.* still running/,
  );
  const stopped = await w.output(id, { stop: true });
  expect(stopped).toMatchObject({
    output: expect.stringMatching(/was ended after [\d.]+ s: stopped\]/),
    background: { ended: true },
  });
  expect(stopped).not.toHaveProperty("isError");
  expect((await w.type(id, "x")).output).toContain("nothing was sent");
});

test("[25.12] if a background command fails immediately, its first answer says so", async () => {
  await using w = await world();
  expect(await w.start("echo no such flag >&2; exit 3")).toMatchObject({
    output: expect.stringMatching(
      /^no such flag\n\[background command m1\.0 has ended with exit code 3 after/,
    ),
    isError: true,
    background: { ended: true },
  });
});

test("[25.12] BashOutput waits for the end of a command, and a time limit ends the command", async () => {
  await using w = await world();
  const id = idOf(await w.start("echo a; sleep 1; echo b", {}));
  const ended = await w.output(id, { wait: 30_000, until: "never" });
  expect(ended.output).toMatch(/b\n\[background command m1\.0 has ended with exit code 0/);
  const limited = idOf(await w.start("echo up; sleep 300", { timeout: 3_000 }));
  expect(await w.output(limited, { wait: 30_000 })).toMatchObject({
    output: expect.stringContaining("ended at its time limit of 3 s"),
    isError: true,
  });
});

test("[25.12] for an unknown id, the answer lists the ids that exist", async () => {
  await using w = await world();
  expect((await w.output("m9.9")).output).toBe(
    "there is no background command m9.9: none was started; start one with Bash and background",
  );
  const id = idOf(await w.start("echo up; sleep 300"));
  expect((await w.output("m9.9")).output).toBe(
    `there is no background command m9.9: there are ${id} (echo up; sleep 300)`,
  );
  expect((await w.output(id, { until: "(" })).output).toContain("is not a regular expression");
});

test("[25.12] when a run ends, its commands end too, except a command that was started to outlive the run", async () => {
  await using w = await world();
  const [going, kept] = [
    idOf(await w.start("echo up; sleep 300")),
    idOf(await w.start("echo up; sleep 300", { keep: true })),
  ];
  await w.commands.sweep(async () => false);
  expect((await w.commands.look("r1", going)).isOver).toBe(false);
  await w.commands.sweep(async (runId) => runId === "r1");
  expect(await w.commands.look("r1", going)).toEqual({
    isOver: true,
    text: expect.stringContaining("stopped"),
  });
  expect((await w.commands.look("r1", kept)).isOver).toBe(false);
  await w.output(kept, { stop: true });
});

test("[25.12] if the watcher is killed, the command dies with it, and the agent is told why", async () => {
  await using w = await world();
  const started = await w.start("echo $$ > pid; echo up; exec sleep 300");
  const pid = Number(await readFile(join(w.path, "pid"), "utf8"));
  process.kill(started.background!.pid!, "SIGKILL");
  await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false);
  expect((await w.output(idOf(started))).output).toContain(
    "was killed together with the process that watched it",
  );
});

test("[25.12] a process with a recycled pid is not mistaken for the watcher; a new boot id means that the machine has restarted", async () => {
  await using w = await world();
  const me = await ownIdentity();
  const folder = commandFolder(w.stateFolder, "r2", "m1.0");
  await w.start("echo up", {}, { runId: "r2", callId: "m1.0" });
  await expect.poll(async () => (await stateOf(folder)).at, { timeout: 20_000 }).toBe("ended");
  await rm(join(folder, "end.json"));
  await writeWhole(folder, "claim.json", { ...me, start: "1" });
  expect(await stateOf(folder)).toEqual({ at: "lost", why: "watcher" });
  if (me.boot !== undefined) {
    await writeWhole(folder, "claim.json", { ...me, boot: "another" });
    expect(await stateOf(folder)).toEqual({ at: "lost", why: "machine" });
  }
  await w.commands.stopRun("r2");
  expect(isAlive(process.pid)).toBe(true);
});

test("[25.12] [P4] a second attempt adopts the command of the first attempt, so the command runs only once", async () => {
  await using w = await world();
  const command = "echo ran >> marks; echo up; sleep 300";
  const first = await w.start(command, {}, { callId: "m5.0" });
  const second = await w.start(command, {}, { callId: "m5.0", attempt: 2 });
  expect(idOf(second)).toBe("m5.0");
  expect(second.background!.pid).toBe(first.background!.pid);
  expect(await readFile(join(w.path, "marks"), "utf8")).toBe("ran\n");
  expect(
    await w.bash.probe!(
      { command, background: true },
      { ...w.context({ callId: "m5.0" }), startedAt: 0, mayShow: () => true },
    ),
  ).toMatchObject({ found: "done", evidence: [expect.stringContaining("is still running")] });
  expect(
    await w.bash.probe!(
      { command, background: true },
      { ...w.context({ callId: "m6.0" }), startedAt: 0, mayShow: () => true },
    ),
  ).toMatchObject({ found: "not_done" });
});

test("[25.12] of long output, only the beginning and the latest part are kept", async () => {
  await using w = await world();
  const id = idOf(await w.start("seq 1 3000000; echo the end"));
  await w.output(id, { until: "the end", wait: 60_000 });
  await expect
    .poll(async () => (await stateOf(commandFolder(w.stateFolder, "r1", id))).at, { timeout: 20_000 })
    .toBe("ended");
  const text = (await w.commands.output("r1", id))!;
  expect(text.startsWith("1\n2\n3\n")).toBe(true);
  expect(text.endsWith("2999999\n3000000\nthe end\n")).toBe(true);
  expect(text).toMatch(/… \d+ bytes are no longer kept …/);
  expect(text.length).toBeLessThan(6 * 1024 * 1024);
});

test("[25.12] a character is shown only when all of its bytes have arrived", async () => {
  await using w = await world();
  const folder = join(w.path, "output");
  await mkdir(folder);
  const bytes = Buffer.from("grün €\n");
  await writeFile(join(folder, "out-0"), bytes.subarray(0, 8));
  const first = await readOutput(folder);
  await writeFile(join(folder, "out-0"), bytes);
  expect(first.text + (await readOutput(folder, first.upTo)).text).toBe("grün €\n");
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A zombie process counts as ended.
  const stat = existsSync("/proc/self/stat") ? readFileSync(`/proc/${pid}/stat`, "utf8") : "";
  return !stat.includes(") Z ");
}

test("[A71] [30.5] a search in the background tells nothing about files with keys either", async () => {
  await using w = await world();
  await writeFile(join(w.path, ".env"), "KEY=abcdefghij\n");
  const answer = await w.start("grep -rc KEY=abc .", {}, { effect: "read" });
  expect(answer.output).toContain("this would search .env");
  expect(answer.output).not.toContain(".env:1");
});
