import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HELD_UP_MS, longestWait } from "./event-loop.fixture.ts";
import { lsTool } from "./ls.ts";
import { tempWorkspace } from "./temp-workspace.fixture.ts";

describe("LS", () => {
  it("LS lists folders first, with sizes, and marks links and special files", async () => {
    await using folder = await tempWorkspace();
    await mkdir(join(folder.path, "z"));
    await writeFile(join(folder.path, "a"), "12");
    await symlink("/etc", join(folder.path, "b"));
    execFileSync("mkfifo", [join(folder.path, "c")]);
    expect((await lsTool.execute({}, folder.context())).output).toBe(
      "z/\na (2 bytes)\nb (link)\nc (special)",
    );
    expect((await lsTool.execute({ path: "z" }, folder.context())).output).toBe("z is empty");
    expect(await lsTool.execute({ path: "a" }, folder.context())).toEqual({
      output: "a is no folder: use Read",
      isError: true,
    });
    expect(await lsTool.execute({ path: "b" }, folder.context())).toMatchObject({ isError: true });
    expect(await lsTool.execute({ path: "none" }, folder.context())).toMatchObject({ isError: true });
    expect(await lsTool.execute({ path: ".." }, folder.context())).toMatchObject({ isError: true });
  });

  it("[A38] LS shortens the list of a huge folder, and does not block the event loop", {
    timeout: 60_000,
  }, async () => {
    await using folder = await tempWorkspace();
    execFileSync("bash", ["--norc", "-c", "seq 20000 | xargs touch"], { cwd: folder.path });
    const wait = await longestWait(async () => {
      const { output, full } = await lsTool.execute({}, folder.context());
      expect(full ?? output).toContain("(at least 10000 more are not shown: use Glob)");
      expect(String(full ?? output).split("\n")).toHaveLength(1_001);
    });
    expect(wait).toBeLessThan(HELD_UP_MS);
  });

  it("in the list of LS, a file name cannot start a new line or hide characters", async () => {
    await using folder = await tempWorkspace();
    await writeFile(join(folder.path, "a\nb\u202ec"), "");
    expect((await lsTool.execute({}, folder.context())).output).toBe("a⟦U+000A⟧b⟦U+202E⟧c (0 bytes)");
  });

  it("LS leaves out files that a rule denies, and says so", async () => {
    await using folder = await tempWorkspace();
    for (const name of [".env", "a"]) await writeFile(join(folder.path, name), "");
    const mayShow = (path: string) => path !== ".env";
    expect((await lsTool.execute({}, folder.context({ mayShow }))).output).toBe(
      "a (0 bytes)\n(some are not shown: a rule does not allow it)",
    );
  });

  it("LS fails if the call is already cancelled", async () => {
    await using folder = await tempWorkspace();
    await writeFile(join(folder.path, "a"), "");
    expect(await lsTool.execute({}, folder.context({ signal: AbortSignal.abort() }))).toEqual({
      output: "cancelled",
      isError: true,
    });
  });
});
