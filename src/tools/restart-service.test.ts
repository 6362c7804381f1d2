import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { restartServiceTool, type Services } from "./restart-service.ts";
import { tempWorkspace } from "./temp-workspace.fixture.ts";

const sh = (script: string) => ["sh", "-c", script];

/** Tells whether the process is running. A zombie process does not count. */
function isAlive(pid: number): boolean {
  try {
    const state = execFileSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
    return !state.trim().startsWith("Z");
  } catch {
    return false;
  }
}

async function serverAnswering(status: () => number) {
  const server = createServer((_, response) =>
    response.writeHead(status(), { Location: "/ok" }).end("obey me"),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/health`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function restart(services: Services, service: string, signal = new AbortController().signal) {
  await using folder = await tempWorkspace();
  const tool = restartServiceTool({ services, folder: folder.path });
  return await tool.execute({ service }, folder.context({ signal }));
}

it("[S0-40] restart_service runs the configured command without a shell in the project's folder, and reports the result", async () => {
  await using folder = await tempWorkspace();
  const elsewhere = join(folder.path, "worktree");
  await mkdir(elsewhere);
  const services = { api: { restart: ["printf", "%s|", "a b", "$HOME; `id`"] }, db: { restart: ["pwd"] } };
  const tool = restartServiceTool({ services, folder: folder.path });
  expect(tool).toMatchObject({
    effect: "unsafe",
    idle: false,
    description: expect.stringContaining("api, db"),
  });
  expect(await tool.execute({ service: "api" }, folder.context())).toEqual({
    output: expect.stringMatching(
      /^api was restarted \(exit 0, .*No health check is configured.*\nOutput of the command:\na b\|\$HOME; `id`\|$/,
    ),
    isError: false,
  });
  const { output } = await tool.execute({ service: "db" }, folder.context({ workspace: elsewhere }));
  expect(output).toMatch(new RegExp(`\n${folder.path}$`));
});

it("an unknown service such as `toString` is refused, and the error lists the known services", async () => {
  const services = { api: { restart: ["true"] }, web: { restart: ["true"] } };
  for (const name of ["db", "__proto__", "toString", "api; rm -rf ."]) {
    expect(await restart(services, name)).toMatchObject({
      isError: true,
      output: expect.stringMatching(
        /^There is no service ".*"; nothing was restarted\. Known are: api, web\.$/,
      ),
    });
  }
  expect((await restart({}, "api")).output).toMatch(/^No services are configured.*cadre trust/);
  expect(restartServiceTool({ services: {}, folder: "/" }).idle).toBe(true);
});

it("[P5] the preview shows the command that would run, and changes with the configuration", async () => {
  await using folder = await tempWorkspace();
  const preview = (services: Services, service = "api") =>
    restartServiceTool({ services, folder: "/srv" }).preview!({ service }, { workspace: folder.path });
  const one = await preview({
    api: { restart: ["systemctl", "restart", "a b\u202E"], health: { url: "http://a/h" } },
  });
  expect(one.text).toBe('systemctl restart "a b⟦U+202E⟧"\nin /srv\nthen wait for http://a/h');
  const other = await preview({ api: { restart: ["systemctl", "stop", "a b\u202E"] } });
  expect(other.fingerprint).not.toBe(one.fingerprint);
  expect((await preview({}, "api")).text).toMatch(/^No services/);
});

it("[A32] the command gets none of Cadre's secrets", async () => {
  vi.stubEnv("ANTHROPIC_API_KEY", "s3cret");
  const { output } = await restart({ api: { restart: ["env"] } }, "api");
  vi.unstubAllEnvs();
  expect(output).toContain("CADRE_RUN_ID=r1");
  expect(output).not.toContain("s3cret");
});

it("if the command fails or does not exist, the error says whether anything was done", async () => {
  expect(await restart({ api: { restart: sh("echo no unit >&2; exit 5") } }, "api")).toEqual({
    isError: true,
    output: expect.stringMatching(/^The restart of api failed \(exit 5, .*may be down.*\n.*\nno unit$/),
  });
  const absent = await restart(
    { api: { restart: ["no-such-program-here"], health: { url: "http://a" } } },
    "api",
  );
  expect(absent).toMatchObject({
    isError: true,
    output: expect.stringMatching(/no such program\); nothing was done/),
  });
});

it("restart_service waits until the health address answers 200; a redirect does not count", async () => {
  const answers = [503, 302, 200];
  await using server = await serverAnswering(() => answers.shift() ?? 500);
  const { output, isError } = await restart(
    { api: { restart: ["true"], health: { url: server.url } } },
    "api",
  );
  expect(isError).toBe(false);
  expect(output).toMatch(/^api was restarted .* It is healthy, after /);
  expect(answers).toEqual([]);
});

it("restart_service waits until the health command exits with 0", async () => {
  const health = { command: sh("test -f up || { touch up; exit 1; }") };
  expect((await restart({ api: { restart: ["true"], health } }, "api")).output).toMatch(/It is healthy/);
});

it("if a service is not healthy in time, the error shows the last health check but no text from the service", async () => {
  await using server = await serverAnswering(() => 503);
  const sick = await restart(
    { api: { restart: ["true"], health: { url: server.url, timeout: 300 } } },
    "api",
  );
  expect(sick.isError).toBe(true);
  expect(sick.output).toMatch(/not healthy within 0\.3 s; the last check: status 503\. Read its log/);
  expect(sick.output).not.toContain("obey");
  const health = { command: sh("exit 7"), timeout: 100 };
  expect((await restart({ api: { restart: ["true"], health } }, "api")).output).toMatch(/last check: exit 7/);
});

it("background processes that the command starts keep running after the call ends", async () => {
  await using folder = await tempWorkspace();
  const services = { api: { restart: sh("sleep 60 & echo $! > pid") } };
  const tool = restartServiceTool({ services, folder: folder.path });
  expect((await tool.execute({ service: "api" }, folder.context())).isError).toBe(false);
  const pid = Number(await readFile(join(folder.path, "pid"), "utf8"));
  expect(isAlive(pid)).toBe(true);
  process.kill(pid);
});

it("cancelling a call kills the command's process group, and the answer says that the service might be down", async () => {
  await using folder = await tempWorkspace();
  await writeFile(join(folder.path, "pid"), "");
  const services = { api: { restart: sh("sleep 60 & echo $! > pid; wait") } };
  const controller = new AbortController();
  const tool = restartServiceTool({ services, folder: folder.path });
  const answer = tool.execute({ service: "api" }, folder.context({ signal: controller.signal }));
  const pid = await vi.waitFor(async () => {
    const text = await readFile(join(folder.path, "pid"), "utf8");
    expect(text).toMatch(/^\d+\n$/);
    return Number(text);
  });
  controller.abort();
  expect(await answer).toMatchObject({
    isError: true,
    output: expect.stringMatching(/^The restart of api was cancelled after .*may be down/),
  });
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 60_000 });
  expect((await restart(services, "api", controller.signal)).output).toMatch(/nothing was restarted/);
});

it("cancelling a call stops the wait for the health check", async () => {
  const controller = new AbortController();
  await using server = await serverAnswering(() => {
    controller.abort();
    return 503;
  });
  const services = { api: { restart: ["true"], health: { url: server.url } } };
  expect(await restart(services, "api", controller.signal)).toMatchObject({
    isError: true,
    output: expect.stringMatching(/wait for its health was cancelled/),
  });
});
