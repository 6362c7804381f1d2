import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { judgeShell } from "../permissions/shell/judge-shell.ts";
import { bashIn, sandboxes } from "./bash.fixture.ts";
import { cleanEnvironment } from "./shell/clean-environment.ts";
import { withSubreaper } from "./shell/supervise.ts";
import { tempWorkspace } from "./temp-workspace.fixture.ts";

/** A `sleep` command with a unique duration. Tests find the process by its arguments, because pids differ between namespaces. */
const uniqueSleep = () => `sleep 6${String(Math.random()).slice(2, 12)}`;

/** Tells whether the process is running. A zombie process does not count. */
function isRunning(sleep: string): boolean {
  const lines = execFileSync("ps", ["-axo", "stat=,args="], { encoding: "utf8" }).split("\n");
  return lines.some((line) => line.includes(sleep) && !line.startsWith("Z"));
}

const waitUntilGone = (...sleeps: string[]) =>
  vi.waitFor(() => expect(sleeps.filter(isRunning)).toEqual([]), { timeout: 60_000, interval: 20 });

const waitUntilBegun = (path: string) =>
  vi.waitFor(async () => expect(await readFile(path, "utf8")).toBe("yes\n"), {
    timeout: 60_000,
    interval: 20,
  });

describe.each(sandboxes)("Bash in the sandbox %s", (driver) => {
  const bashTool = bashIn(driver);

  it("Bash returns the exit code, and the output in order of arrival; any exit code other than 0 is an error", async () => {
    await using folder = await tempWorkspace();
    const failed = await bashTool.execute(
      { command: "echo one; echo two >&2; echo three; exit 3" },
      folder.context(),
    );
    expect(failed).toEqual({
      output: expect.stringMatching(/^one\ntwo\nthree\n\[exit 3, \d+\.\d s\]$/),
      isError: true,
      sandbox: driver,
    });
    const fine = await bashTool.execute({ command: "pwd; printf x" }, folder.context());
    expect(fine).toEqual({
      output: expect.stringMatching(/^.*cadre-tools-\w+\nx\n\[exit 0, /),
      isError: false,
      sandbox: driver,
    });
  });

  it("[36.2] if no file can be opened after a command has run, the answer never says that nothing was run", async () => {
    await using folder = await tempWorkspace();
    const { signal } = new AbortController();
    signal.removeEventListener = () => {
      throw Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE", syscall: "open" });
    };
    const answer = await bashTool.execute({ command: "echo once >> effects" }, folder.context({ signal }));
    expect(await readFile(join(folder.path, "effects"), "utf8")).toBe("once\n");
    expect(answer).toMatchObject({ isError: true, output: expect.stringContaining("the command has run") });
    expect(answer.output).not.toContain("nothing was run");
  });

  it("Bash streams output while the command runs", async () => {
    await using folder = await tempWorkspace();
    const heard: string[] = [];
    await bashTool.execute({ command: "echo é" }, folder.context({ progress: (text) => heard.push(text) }));
    expect(heard.join("")).toBe("é\n");
  });

  it("a command that reads stdin sees end of file immediately and does not wait", async () => {
    await using folder = await tempWorkspace();
    expect(await bashTool.execute({ command: "cat; read x || echo none" }, folder.context())).toMatchObject({
      isError: false,
    });
  });

  it("[A32] a command gets no secrets in its environment, and its process is marked with the run id", async () => {
    await using folder = await tempWorkspace();
    vi.stubEnv("ANTHROPIC_API_KEY", "sk-secret");
    vi.stubEnv("BASH_ENV", "/nonexistent");
    vi.stubEnv("SHELLOPTS", "xtrace");
    vi.stubEnv("LD_PRELOAD", "");
    vi.stubEnv("GIT_EXTERNAL_DIFF", "/nonexistent");
    vi.stubEnv("BASH_FUNC_ls%%", "() { echo hijacked; }");
    const { output } = await bashTool.execute(
      { command: "env; cat /proc/self/environ | tr '\\0' '\\n'; ls" },
      folder.context(),
    );
    vi.unstubAllEnvs();
    expect(output).not.toMatch(/secret|BASH_ENV|SHELLOPTS|LD_PRELOAD|GIT_EXTERNAL_DIFF|hijacked/);
    expect(output).toContain("CADRE_RUN_ID=r1");
    const names = [...String(output).matchAll(/^(\w+)=/gm)]
      .map((match) => match[1])
      .filter((name) => !/^(GIT|CADRE)_/.test(name!));
    expect(names).toEqual(expect.arrayContaining(["HOME", "LANG", "PATH", "TERM"]));
    // The sandbox program srt sets variables for its own proxy.
    for (const name of driver === "srt" ? [] : names)
      expect(["PATH", "HOME", "LANG", "TERM", "TMPDIR", "USER", "PWD", "SHLVL", "_", "OLDPWD"]).toContain(
        name,
      );
  });

  it("Bash removes workspace folders from PATH, so that no program in the workspace shadows a system program", () => {
    const path = "/w/node_modules/.bin:.::/usr/bin:/wide/bin:/up/node_modules/.bin:/w/bin";
    expect(cleanEnvironment("/w", "r", { PATH: path })["PATH"]).toBe("/usr/bin:/wide/bin");
  });

  it("Bash reads no start-up file such as .bashrc", async () => {
    await using folder = await tempWorkspace();
    for (const name of [".bashrc", ".bash_profile", ".profile"])
      await writeFile(join(folder.path, name), "echo SOURCED\n");
    vi.stubEnv("HOME", folder.path);
    vi.stubEnv("SHLVL", undefined);
    const { output } = await bashTool.execute({ command: "echo clean" }, folder.context());
    vi.unstubAllEnvs();
    expect(output).toMatch(/^clean\n\[exit 0/);
  });

  it.skipIf(process.platform === "win32")(
    "if bash cannot start, the answer says so in one sentence",
    async () => {
      await using folder = await tempWorkspace();
      const answer = await bashTool.execute(
        { command: "true" },
        folder.context({ workspace: join(folder.path, "none") }),
      );
      expect(answer).toEqual({
        output: expect.stringMatching(/^bash could not be started .*nothing was run$/),
        isError: true,
      });
    },
  );

  const escapes: [string, (sleep: string) => string][] = [
    ["nohup … & disown", (sleep) => `nohup sh -c '${sleep}; touch made' >/dev/null 2>&1 & disown`],
    ["setsid", (sleep) => `setsid ${sleep} &`],
    ["setsid with an empty environment", (sleep) => `setsid env -i ${sleep} >/dev/null 2>&1 &`],
    ["a daemon that forks twice", (sleep) => `(setsid env -i sh -c '${sleep} & exit' >/dev/null 2>&1 &)`],
    ["a background job under job control", (sleep) => `set -m; env -i ${sleep} >/dev/null 2>&1 & disown -a`],
    [
      "a process that ignores signals",
      (sleep) => `setsid env -i bash -c 'trap "" TERM HUP INT; ${sleep}; ${sleep}' &`,
    ],
  ];

  // Outside a sandbox, only a subreaper can find a process that left its group. A subreaper needs Linux and perl.
  const findsOrphans = driver !== "none" || withSubreaper([], process.env["PATH"] ?? "").length > 0;
  it.skipIf(!findsOrphans).each(escapes)(
    "[A31] [25.12] a command leaves no process behind, and the answer names the processes that were ended: %s",
    async (_, leave) => {
      await using folder = await tempWorkspace();
      const sleep = uniqueSleep();
      const command = `${leave(sleep)}\nsleep 0.3; echo end`;
      const answer = await bashTool.execute({ command }, folder.context());
      // srt hides the pids of a command, so the answer cannot name a process that has lost its mark.
      const isNamed = driver !== "srt" || !command.includes("env -i");
      const named =
        "\\nEnded together with the command, because it had left them running: \\d+ .*set background\\.";
      expect(answer).toMatchObject({
        isError: false,
        output: expect.stringMatching(new RegExp(`^end\\n\\[exit 0, [\\d.]+ s\\]${isNamed ? named : ""}$`)),
      });
      if (isNamed) expect(answer.output).toContain(sleep);
      expect(answer.output).not.toContain("socat");
      await waitUntilGone(sleep);
    },
  );

  it("[A31] if a command kills its supervisor, the answer warns that processes might still be running", async () => {
    await using folder = await tempWorkspace();
    const sleep = uniqueSleep();
    const command = `(setsid ${sleep} >/dev/null 2>&1 &); sleep 0.3; kill -KILL $PPID; ${sleep}`;
    const answer = await bashTool.execute({ command }, folder.context());
    expect(answer.isError).toBe(true);
    if (driver === "none") expect(answer.output).toContain("may still be running");
    await waitUntilGone(sleep);
  });

  it("at the time limit, Bash sends SIGTERM first so that the command can clean up", async () => {
    await using folder = await tempWorkspace();
    const sleep = uniqueSleep();
    const command = `trap 'echo bye; exit 1' TERM; ${sleep} & wait`;
    const answer = await bashTool.execute({ command, timeout: 500 }, folder.context());
    expect(answer).toMatchObject({
      output: expect.stringMatching(
        /^bye\n\[killed: still running after 0.5 s; set a longer timeout, or background, /,
      ),
      isError: true,
    });
    await waitUntilGone(sleep);
  });

  it("Bash kills a process that still ignores SIGTERM after two seconds", async () => {
    await using folder = await tempWorkspace();
    const sleep = uniqueSleep();
    const answer = await bashTool.execute(
      { command: `trap '' TERM; ${sleep}; ${sleep}`, timeout: 300 },
      folder.context(),
    );
    expect(answer.isError).toBe(true);
    await waitUntilGone(sleep);
  });

  it("[A31] cancelling a call kills all processes of the command; a command cancelled before its start never runs", async () => {
    await using folder = await tempWorkspace();
    const abort = new AbortController();
    const sleep = uniqueSleep();
    const cancelled = bashTool.execute(
      { command: `setsid env -i ${sleep} & ${sleep} & echo yes > begun; wait` },
      folder.context({ signal: abort.signal }),
    );
    await waitUntilBegun(join(folder.path, "begun"));
    abort.abort();
    expect(await cancelled).toMatchObject({
      output: expect.stringContaining("[killed: cancelled"),
      isError: true,
    });
    await waitUntilGone(sleep);
    const before = await bashTool.execute({ command: "touch x" }, folder.context({ signal: abort.signal }));
    expect(before).toEqual({ output: "cancelled before it began; nothing was run", isError: true });
  });

  it("[A31] if Cadre is killed with SIGKILL, all processes of a command end, even those that left its process group", async () => {
    await using folder = await tempWorkspace();
    const sleep = uniqueSleep();
    const command = `setsid env -i ${sleep} & setsid ${sleep} & ${sleep} & echo yes > begun; wait`;
    const script = `
      const { bashIn } = await import(${JSON.stringify(import.meta.resolve("./bash.fixture.ts"))});
      await bashIn("${driver}").execute({ command: process.env.COMMAND }, {
        workspace: ${JSON.stringify(folder.path)}, runId: "r9", callId: "m1.0", attempt: 1, key: "k", signal: new AbortController().signal,
      });`;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: "ignore",
      env: { ...process.env, COMMAND: command },
    });
    await waitUntilBegun(join(folder.path, "begun"));
    await expect.poll(() => isRunning(sleep)).toBe(true);
    parent.kill("SIGKILL");
    await once(parent, "exit");
    await waitUntilGone(sleep);
  });

  it("[F44] endless output is stopped at the size limit; head and tail are kept, and memory stays flat", async () => {
    await using folder = await tempWorkspace();
    const sleep = uniqueSleep();
    const before = process.memoryUsage().rss;
    const answer = await bashTool.execute(
      { command: `echo first; ${sleep} & yes; echo never` },
      folder.context(),
    );
    expect(answer.output).toMatch(
      /^first\ny\n[\s\S]*lines \d+–\d+ of \d+ left out[\s\S]*\[killed: more than 10 MB of output; send it to a file, and look at parts of that, /,
    );
    expect(String(answer.output).length).toBeLessThan(31_000);
    expect(answer.full!.length).toBeLessThan(1_300_000);
    expect(answer.size).toBeGreaterThan(10 * 1024 * 1024);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
    await waitUntilGone(sleep);
  });

  it("[F44] for binary output, the answer gives only the number of bytes", async () => {
    await using folder = await tempWorkspace();
    const answer = await bashTool.execute({ command: "head -c 1000 /dev/zero" }, folder.context());
    expect(answer.output).toMatch(/^\(binary output, 1000 bytes, not shown\)\n\[exit 0/);
  });

  it("[F44] a character that arrives in two chunks is joined, and invalid bytes are replaced by U+FFFD", async () => {
    await using folder = await tempWorkspace();
    const command = "printf 'a\\xe2\\x82'; sleep 0.1; printf '\\xac b \\xff\\xfe\\n'";
    const { output } = await bashTool.execute({ command }, folder.context());
    expect(output).toMatch(/^a€ b \uFFFD\uFFFD\n\[exit 0/);
  });

  it("[F44] colour codes are removed, and other control characters are made visible", async () => {
    await using folder = await tempWorkspace();
    const command = "printf '\\033[31mred\\033[0m \\033]0;title\\007x \\b\\bhidden \\302\\2335n\\n'";
    const { output } = await bashTool.execute({ command }, folder.context());
    expect(output).not.toMatch(/[^\P{Cc}\t\n]/u);
    expect(output).toMatch(/^red .*⟦U\+0008⟧⟦U\+0008⟧hidden/);
  });

  it("[25.12] above six hours, a timeout is refused with advice to use the background; above a day, it is always refused", async () => {
    await using folder = await tempWorkspace();
    const hours = (count: number) => ({ command: "x", timeout: count * 3_600_000 });
    expect((await bashTool.execute(hours(7), folder.context())).output).toContain(
      "set background; nothing was run",
    );
    const { error } = bashTool.input.safeParse(hours(25));
    expect(error!.issues[0]!.message).toBe("86400000 (24 hours) at most");
  });

  it("the outputs of concurrent commands are not mixed up", async () => {
    await using folder = await tempWorkspace();
    const slow = bashTool.execute({ command: "sleep 0.5; echo slow" }, folder.context({ callId: "m1.1" }));
    await delay(0);
    const quick = await bashTool.execute({ command: "echo quick" }, folder.context({ callId: "m1.2" }));
    expect(quick.output).toContain("quick");
    expect((await slow).output).toContain("slow");
  });

  it("the preview shows the command with hidden characters made visible", async () => {
    await using folder = await tempWorkspace();
    const preview = await bashTool.preview!({ command: "ls\u202e\x1b[2K\rrm" }, folder.context());
    expect(preview).toEqual({ text: "ls⟦U+202E⟧⟦U+001B⟧[2K⟦U+000D⟧rm" });
  });
});

describe("unpacking an archive", () => {
  it.each([
    "tar -xf a.tar",
    "tar xf a.tar",
    "unzip a.zip",
    "bsdtar -xf a",
    "7z x a",
    "gunzip a.gz",
    "cpio -i < a",
  ])("[A39] a command that unpacks an archive is never read-only, so it needs approval: %s", (command) => {
    expect(judgeShell(command).readOnly).toBe(false);
  });
});
