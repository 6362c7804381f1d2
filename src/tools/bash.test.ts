import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { bashTool } from "./bash.ts";
import { cleanEnvironment } from "./clean-env.ts";
import { tempWorkspace } from "./temp-workspace.fixture.ts";

/** Running, and not merely waiting to be reaped. */
function isAlive(pid: number): boolean {
  try {
    return !execFileSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" })
      .trim()
      .startsWith("Z");
  } catch {
    return false;
  }
}

const gone = (pid: number) =>
  vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 5_000, interval: 20 });

const pidIn = (path: string) =>
  vi.waitFor(
    async () => {
      const pid = Number((await readFile(path, "utf8")).trim());
      expect(pid).toBeGreaterThan(0);
      return pid;
    },
    { timeout: 5_000, interval: 20 },
  );

describe("Bash", () => {
  it("answers output in the order of arrival, the exit code, and an error when it is not 0", async () => {
    await using folder = await tempWorkspace();
    const failed = await bashTool.execute(
      { command: "echo one; echo two >&2; echo three; exit 3" },
      folder.context(),
    );
    expect(failed).toEqual({
      output: expect.stringMatching(/^one\ntwo\nthree\n\[exit 3, \d+\.\d s\]$/),
      isError: true,
    });
    const fine = await bashTool.execute({ command: "pwd; printf x" }, folder.context());
    expect(fine).toEqual({
      output: expect.stringMatching(/^.*cadre-tools-\w+\nx\n\[exit 0, /),
      isError: false,
    });
  });

  it("hands output on while it comes", async () => {
    await using folder = await tempWorkspace();
    const heard: string[] = [];
    await bashTool.execute({ command: "echo é" }, folder.context({ progress: (text) => heard.push(text) }));
    expect(heard.join("")).toBe("é\n");
  });

  it("has no input to wait for", async () => {
    await using folder = await tempWorkspace();
    expect(await bashTool.execute({ command: "cat; read x || echo none" }, folder.context())).toMatchObject({
      isError: false,
    });
  });

  it("[A32] passes on no secret, and marks the process", async () => {
    await using folder = await tempWorkspace();
    vi.stubEnv("ANTHROPIC_API_KEY", "sk-secret");
    vi.stubEnv("BASH_ENV", "/nonexistent");
    vi.stubEnv("BASH_FUNC_ls%%", "() { echo hijacked; }");
    const { output } = await bashTool.execute(
      { command: "env; cat /proc/self/environ | tr '\\0' '\\n'; ls" },
      folder.context(),
    );
    vi.unstubAllEnvs();
    expect(output).not.toMatch(/secret|BASH_ENV|hijacked/);
    expect(output).toContain("CADRE_RUN_ID=r1");
    const names = [...String(output).matchAll(/^(\w+)=/gm)]
      .map((match) => match[1])
      .filter((name) => !/^(GIT|CADRE)_/.test(name!));
    expect(names).toEqual(expect.arrayContaining(["HOME", "LANG", "PATH", "TERM"]));
    for (const name of names)
      expect(["PATH", "HOME", "LANG", "TERM", "TMPDIR", "USER", "PWD", "SHLVL", "_", "OLDPWD"]).toContain(
        name,
      );
  });

  it("a program in the workspace does not pass for a system's", () => {
    const { PATH } = cleanEnvironment("/w", "r", { PATH: "/w/node_modules/.bin:.::/usr/bin:/wide/bin" });
    expect(PATH).toBe("/usr/bin:/wide/bin:/w/node_modules/.bin");
  });

  it("sources no start-up file", async () => {
    await using folder = await tempWorkspace();
    for (const name of [".bashrc", ".bash_profile", ".profile"])
      await writeFile(join(folder.path, name), "echo SOURCED\n");
    vi.stubEnv("HOME", folder.path);
    vi.stubEnv("SHLVL", undefined);
    const { output } = await bashTool.execute({ command: "echo clean" }, folder.context());
    vi.unstubAllEnvs();
    expect(output).toMatch(/^clean\n\[exit 0/);
  });

  it.skipIf(process.platform === "win32")("says in one sentence when it cannot start", async () => {
    await using folder = await tempWorkspace();
    const answer = await bashTool.execute(
      { command: "true" },
      folder.context({ workspace: join(folder.path, "none") }),
    );
    expect(answer).toEqual({
      output: expect.stringMatching(/^bash could not be started .*nothing was run$/),
      isError: true,
    });
  });

  it("[A31] leaves no process behind when it ends", async () => {
    await using folder = await tempWorkspace();
    const command =
      "nohup sleep 600 >/dev/null 2>&1 & echo $! > pid; disown; setsid sleep 600 & echo $! > escaped; sleep 0.1";
    const answer = await bashTool.execute({ command }, folder.context());
    expect(answer.isError).toBe(false);
    await gone(await pidIn(join(folder.path, "pid")));
    if (process.platform === "linux") await gone(await pidIn(join(folder.path, "escaped")));
  });

  it("kills the group at its time limit, asking first", async () => {
    await using folder = await tempWorkspace();
    const command = "trap 'echo bye; exit 1' TERM; sleep 600 & echo $! > pid; wait";
    const answer = await bashTool.execute({ command, timeout: 500 }, folder.context());
    expect(answer).toEqual({
      output: expect.stringMatching(/^bye\n\[killed: still running after 0.5 s, /),
      isError: true,
    });
    await gone(await pidIn(join(folder.path, "pid")));
  });

  it("kills what does not listen, two seconds later", async () => {
    await using folder = await tempWorkspace();
    const answer = await bashTool.execute(
      { command: "trap '' TERM; echo $$ > pid; sleep 600; sleep 600", timeout: 300 },
      folder.context(),
    );
    expect(answer.isError).toBe(true);
    await gone(await pidIn(join(folder.path, "pid")));
  });

  it("kills the group when cancelled, and starts nothing when cancelled before", async () => {
    await using folder = await tempWorkspace();
    const abort = new AbortController();
    const running = bashTool.execute(
      { command: "sleep 600 & echo $! > pid; wait" },
      folder.context({ signal: abort.signal }),
    );
    const pid = await pidIn(join(folder.path, "pid"));
    abort.abort();
    expect(await running).toMatchObject({
      output: expect.stringContaining("[killed: cancelled"),
      isError: true,
    });
    await gone(pid);
    const before = await bashTool.execute({ command: "touch x" }, folder.context({ signal: abort.signal }));
    expect(before).toEqual({ output: "cancelled before it began; nothing was run", isError: true });
  });

  it("[A31] dies with us: kill -9 of our own process ends the command, escaped ones too", async () => {
    await using folder = await tempWorkspace();
    const script = `
      const { bashTool } = await import(${JSON.stringify(import.meta.resolve("./bash.ts"))});
      await bashTool.execute({ command: "setsid sleep 600 & echo $! > escaped; sleep 600 & echo $! > pid; wait" }, {
        workspace: ${JSON.stringify(folder.path)}, runId: "r9", callId: "m1.0", attempt: 1, key: "k", signal: new AbortController().signal,
      });`;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "ignore" });
    const pid = await pidIn(join(folder.path, "pid"));
    const escaped = await pidIn(join(folder.path, "escaped"));
    expect(isAlive(pid)).toBe(true);
    parent.kill("SIGKILL");
    await once(parent, "exit");
    await gone(pid);
    if (process.platform === "linux") await gone(escaped);
    else process.kill(escaped, "SIGKILL");
  });

  it("[F44] endless output ends at the cap, with flat memory, head and tail kept", async () => {
    await using folder = await tempWorkspace();
    const before = process.memoryUsage().rss;
    const answer = await bashTool.execute(
      { command: "echo $$ > pid; echo first; yes; echo never" },
      folder.context(),
    );
    expect(answer.output).toMatch(
      /^first\ny\n[\s\S]*characters left out[\s\S]*\[killed: more than 10 MB of output, /,
    );
    expect(String(answer.output).length).toBeLessThan(31_000);
    expect(answer.full!.length).toBeLessThan(1_300_000);
    expect(answer.size).toBeGreaterThan(10 * 1024 * 1024);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
    await gone(await pidIn(join(folder.path, "pid")));
  });

  it("[F44] binary output is counted, not shown", async () => {
    await using folder = await tempWorkspace();
    const answer = await bashTool.execute({ command: "head -c 1000 /dev/zero" }, folder.context());
    expect(answer.output).toMatch(/^\(binary output, 1000 bytes, not shown\)\n\[exit 0/);
  });

  it("runs several at once without taking one for another", async () => {
    await using folder = await tempWorkspace();
    const slow = bashTool.execute({ command: "sleep 0.5; echo slow" }, folder.context({ callId: "m1.1" }));
    await delay(0);
    const quick = await bashTool.execute({ command: "echo quick" }, folder.context({ callId: "m1.2" }));
    expect(quick.output).toContain("quick");
    expect((await slow).output).toContain("slow");
  });

  it("previews the command with hidden characters made visible", async () => {
    await using folder = await tempWorkspace();
    const preview = await bashTool.preview!({ command: "ls\u202e\x1b[2K\rrm" }, folder.context());
    expect(preview).toEqual({ text: "ls⟦U+202E⟧⟦U+001B⟧[2K⟦U+000D⟧rm" });
  });
});
