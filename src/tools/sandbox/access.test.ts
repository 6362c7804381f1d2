import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Hono } from "hono";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { serveOnSocket, socketFetch } from "../../api/server/socket.ts";
import { createSocketKey, readSocketKey } from "../../config/socket-key.ts";
import { bashIn, sandboxes } from "../bash.fixture.ts";
import { resolveAccess } from "./access.ts";

let home = "";
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "cadre-access-")));
  vi.stubEnv("HOME", home);
  await mkdir(join(home, "work"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(home, { recursive: true, force: true });
});

const accessTo = async (path: string, named: readonly string[] = []) => {
  const request = {
    command: "x",
    effect: "unsafe" as const,
    approved: true,
    network: "off" as const,
    write: [],
  };
  const workspace = join(home, "work");
  const where = {
    workspace,
    folder: workspace,
    stateFolder: join(workspace, ".cadre"),
    isProtected: () => false,
    named: () => named,
  };
  return (await resolveAccess({ ...request, ...where, path })).paths;
};

describe("what a command sees of a home folder", () => {
  test.each([".fly", ".pulumi", ".deno", ".config/some-tool", ".nvm/versions/node/v24"])(
    "[A32] [30.11] a command sees the programs in ~/%s, but not the other files there",
    async (tool) => {
      for (const folder of ["bin", "lib"]) await mkdir(join(home, tool, folder), { recursive: true });
      for (const name of ["config.yml", "credentials.json", "token"])
        await writeFile(join(home, tool, name), "TOKEN");
      const paths = await accessTo(`/usr/bin:${join(home, tool, "bin")}`);
      const shown = paths.filter(({ access }) => access === "read").map(({ path }) => path);
      expect(shown).toEqual(expect.arrayContaining([join(home, tool, "bin"), join(home, tool, "lib")]));
      expect(shown).not.toContain(join(home, tool));
      expect(shown.filter((path) => /config\.yml|credentials|token/.test(path))).toEqual([]);
    },
  );

  test("[A32] [30.10] the folder with the sockets of projects with long paths is hidden, even if TMPDIR names another folder", async () => {
    const elsewhere = join(home, "work", "tmp");
    vi.stubEnv("TMPDIR", elsewhere);
    const sockets = join(elsewhere, `cadre-${process.getuid?.() ?? "user"}`);
    await mkdir(sockets, { recursive: true });
    expect(await accessTo("/usr/bin")).toContainEqual({ path: sockets, access: "hidden", isFolder: true });
  });
});

test("[A37] [30.11] if every file is protected, a command cannot write in the workspace, and the folder around it stays as it is", async () => {
  const paths = await accessTo("/usr/bin", ["."]);
  expect(paths.find(({ path }) => path === join(home, "work"))).toMatchObject({ access: "read" });
  expect(paths.filter(({ access }) => access === "write")).toEqual([]);
});

describe("[A93] [30.10] the secret of Cadre's sockets", () => {
  test.each(["../config", "work", "work/config"])("is hidden if XDG_CONFIG_HOME is %s", async (place) => {
    const config = join(home, "work", place === "work" ? "." : join("..", place));
    vi.stubEnv("XDG_CONFIG_HOME", config);
    await mkdir(join(config, "cadre"), { recursive: true });
    const secret = join(config, "cadre", "socket.key");
    await writeFile(secret, "SECRET");
    const paths = await accessTo("/usr/bin");
    const nearest = (path: string): string | undefined =>
      paths.find((one) => one.path === path)?.access ?? (path === "/" ? undefined : nearest(dirname(path)));
    expect(nearest(secret)).toBe("hidden");
  });

  test.each(sandboxes.filter((name) => name !== "none"))(
    "a command in %s that reaches a socket cannot read its key",
    async (driver) => {
      // The workspace is the folder of the user's own settings, so that only the file itself is hidden.
      vi.stubEnv("XDG_CONFIG_HOME", home);
      const workspace = join(home, "cadre");
      await mkdir(workspace);
      const socket = join(workspace, "reachable.sock");
      const app = new Hono().all("*", (c) => c.text("APPROVED"));
      const served = await serveOnSocket(app, socket, createSocketKey(socket, process.env));
      const bash = bashIn(driver, { folder: workspace, stateFolder: join(workspace, ".cadre") });
      const command = `cat socket.key; key=$(cat socket.key); curl -s --unix-socket reachable.sock -H "X-Cadre-Socket-Key: $key" -X POST http://cadre/api/approvals/a1; true`;
      const call = { workspace, runId: "r1", callId: "m1.0", attempt: 1, key: "k", nonce: () => "n" };
      const signal = new AbortController().signal;
      const output = String((await bash.execute({ command }, { ...call, approved: true, signal })).output);
      const own = await socketFetch(socket, () => readSocketKey(socket, process.env))("http://cadre/");
      await served.close();
      expect(await own.text()).toBe("APPROVED");
      expect(output).not.toContain("APPROVED");
      expect(output).not.toContain(await readFile(join(workspace, "socket.key"), "utf8"));
      if (driver === "bwrap") expect(output).toContain("UNAUTHORIZED");
    },
  );
});

describe.runIf(sandboxes.includes("bwrap"))("[A89] [30.9] limits of a command in bubblewrap", () => {
  const run = async (command: string): Promise<string> => {
    const bash = bashIn("bwrap", { folder: join(home, "work"), stateFolder: join(home, "work/.cadre") });
    const base = {
      workspace: join(home, "work"),
      runId: "r1",
      callId: "m1.0",
      attempt: 1,
      key: "k",
      nonce: () => "n",
    };
    return String(
      (await bash.execute({ command }, { ...base, signal: new AbortController().signal })).output,
    );
  };

  test.each([
    "kernel/hostname",
    "kernel/core_pattern",
    "vm/swappiness",
    "fs/file-max",
    "kernel/threads-max",
    "net/ipv4/ip_forward",
  ])("/proc/sys/%s cannot be written, not even by root", async (name) => {
    // The test writes the value that the file already has. If the sandbox wrongly allows the write, nothing changes.
    const file = `/proc/sys/${name}`;
    expect(await run(`v=$(cat ${file}) || v=0; echo "$v" > ${file} && echo WRITTEN; true`)).not.toContain(
      "WRITTEN",
    );
  });

  test("a command has limits on files, memory, processes and core dumps, and cannot raise them", async () => {
    const said = await run(
      "truncate -s 100G big; ls -s big; for l in c f d u; do echo $l=$(ulimit -$l); done; ulimit -Hf unlimited && echo RAISED; true",
    );
    expect(said).toMatch(/c=0\nf=\d+\nd=\d+\nu=\d+/);
    expect(said).not.toMatch(/RAISED/);
    expect(await run("wc -c < big || echo none")).toMatch(/^(0|none)/m);
  });
});
