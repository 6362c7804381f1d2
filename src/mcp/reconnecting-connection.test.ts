// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how a configuration names a variable
// Tests one connection, with real servers and with servers that misbehave on purpose.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { notesOf, type Plan, plannedServer, writePlan } from "../../test/support/mcp-server.ts";
import { systemClock } from "../clock.ts";
import type { McpServer } from "../config/schema.ts";
import type { Connection } from "./connection.ts";
import type { ListedTool } from "./listing.ts";
import { createConnection } from "./reconnecting-connection.ts";

const SERVERS = join(import.meta.dirname, "../../node_modules/@modelcontextprotocol");
const real = (name: string, ...args: string[]): McpServer => ({
  command: process.execPath,
  args: [join(SERVERS, name, "dist/index.js"), ...args],
});
const never = new AbortController().signal;

let folder: string;
let plan: string;
const opened: Connection[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cadre-mcp-"));
  plan = join(folder, "plan.json");
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((connection) => connection.close()));
  rmSync(folder, { recursive: true, force: true });
});

function connectTo(server: McpServer, env: Record<string, string> = {}, clock = systemClock): Connection {
  const environment = { PATH: process.env["PATH"] };
  const connection = createConnection({ name: "it", server, folder, environment, env, clock });
  opened.push(connection);
  return connection;
}

/** Connects to a server whose only tool is `act`. `does` says how that tool behaves. */
function connectToPlanned(
  does: NonNullable<Plan["does"]>[string],
  more: Partial<McpServer> = {},
): Connection {
  writePlan(plan, { tools: [{ name: "act" }], does: { act: does } });
  return connectTo({ ...plannedServer(plan), ...more });
}

const act: ListedTool = { name: "act", description: "", inputSchema: { type: "object" } };

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Waits until a process has ended. A killed process takes a moment to end. */
async function waitUntilGone(pid: number): Promise<void> {
  await expect.poll(() => isAlive(pid), { timeout: 60_000 }).toBe(false);
}

const startedPid = (): number => Number(notesOf(plan)[0]!.split(" ")[1]);

describe("real MCP servers", () => {
  test.each([
    ["server-filesystem", 14, "list_allowed_directories", {}, /Allowed directories/],
    ["server-memory", 9, "read_graph", {}, /entities/],
    ["server-everything", 13, "echo", { message: "hi" }, /Echo: hi/],
  ])("the real server %s is listed and called", async (name, count, tool, input, said) => {
    const connection = connectTo(real(name, ...(name === "server-filesystem" ? [folder] : [])));
    const { tools, problems } = await connection.list();
    expect(problems).toEqual([]);
    expect(tools).toHaveLength(count);
    const found = tools.find((one) => one.name === tool)!;
    expect(JSON.stringify(await connection.call(found, input, never))).toMatch(said);
  });
});

describe("servers that misbehave", () => {
  test("[A54] if a server dies during a call, the error says that the call was sent; the next call restarts the server", async () => {
    const connection = connectToPlanned("die");
    await expect(connection.call(act, {}, never)).rejects.toMatchObject({
      sent: true,
      message: expect.stringMatching(/^it ended with code 3; the last that it said: hello from the errors/),
    });
    writePlan(plan, { tools: [{ name: "act" }] });
    expect(await connection.call(act, { a: 1 }, never)).toMatchObject({
      content: [{ type: "text", text: '{"a":1}' }],
    });
    expect(notesOf(plan).filter((note) => note.startsWith("start"))).toHaveLength(2);
  });

  test("[A54] a server that answers with 200 MB is killed", async () => {
    const connection = connectToPlanned("huge");
    await expect(connection.call(act, {}, never)).rejects.toThrow(/more than 16 MB at once and was ended/);
    await waitUntilGone(startedPid());
  });

  test("[A54] a server that closes its stdout but keeps running is killed, and the call fails", async () => {
    const connection = connectToPlanned("close-output");
    await expect(connection.call(act, {}, never)).rejects.toMatchObject({ sent: true });
    await waitUntilGone(startedPid());
  });

  test("[A54] an answer nested 100,000 levels deep does not crash Cadre", async () => {
    const connection = connectToPlanned("deep");
    await connection.call(act, {}, AbortSignal.timeout(5_000)).catch(() => undefined);
    writePlan(plan, { tools: [{ name: "act" }] });
    expect(await connection.call(act, {}, never)).toBeDefined();
  });

  test("[A54] a server that never stops sending messages is killed", async () => {
    const connection = connectToPlanned("flood");
    await expect(connection.call(act, {}, never)).rejects.toThrow(/more than 16 MB at once and was ended/);
    await waitUntilGone(startedPid());
  });

  test("[A54] if a server never answers, the call can be cancelled, and other calls still work", async () => {
    writePlan(plan, { tools: [{ name: "act" }, { name: "echo" }], does: { act: "hang" } });
    const connection = connectTo(plannedServer(plan));
    const stop = new AbortController();
    const call = connection.call(act, {}, stop.signal);
    await expect.poll(() => notesOf(plan)).toContain("call act");
    stop.abort(new Error("Stopped after 1 s: the time limit."));
    await expect(call).rejects.toMatchObject({ sent: true, message: /Stopped after 1 s/ });
    await expect.poll(() => notesOf(plan)).toContain("cancelled");
    expect(await connection.call({ ...act, name: "echo" }, {}, never)).toBeDefined();
  });

  test("[A54] if a server never completes the handshake, the caller can abort; closing the connection kills the server", async () => {
    writePlan(plan, { tools: [], mute: true });
    const connection = connectTo(plannedServer(plan));
    const stop = new AbortController();
    const call = connection.call(act, {}, stop.signal);
    await expect.poll(() => notesOf(plan).length).toBeGreaterThan(0);
    stop.abort(new Error("Stopped."));
    await expect(call).rejects.toMatchObject({ sent: false });
    await connection.close();
    await waitUntilGone(startedPid());
  });

  test("[A54] output that is not an MCP message is ignored", async () => {
    writePlan(plan, { tools: [{ name: "act" }], garbage: true });
    expect(await connectTo(plannedServer(plan)).call(act, {}, never)).toBeDefined();
  });

  test("[A54] if a server has 5,000 tools, only the first 200 are accepted", async () => {
    writePlan(plan, { tools: Array.from({ length: 5_000 }, (_, index) => ({ name: `t${index}x` })) });
    const { tools, problems } = await connectTo(plannedServer(plan)).list();
    expect(tools.length).toBeLessThanOrEqual(200);
    expect(problems[0]).toBe("it offers 5000 tools; only the first 200 are looked at");
  });

  test("a missing server program is reported in one sentence; Cadre tries again only after a delay", async () => {
    let now = 0;
    const clock = { ...systemClock, elapsed: () => now };
    const connection = connectTo({ command: "no-such-program" }, {}, clock);
    await expect(connection.list()).rejects.toThrow(
      /^The MCP server it cannot be used: there is no program no-such-program/,
    );
    await expect(connection.list()).rejects.toThrow(/It is tried again in 1 s\.$/);
    now = 1_001;
    await expect(connection.list()).rejects.toThrow(/^The MCP server it cannot be used: there is no program/);
    await expect(connection.list()).rejects.toThrow(/It is tried again in 2 s\.$/);
  });
});

describe("the process of a server", () => {
  test("[A32] the server's process gets the configured environment variables, but not those of Cadre's own process", async () => {
    const connection = connectToPlanned("environment", { env: { KEY: "${TOKEN}", PLAIN: "x" } });
    await expect(connection.list()).rejects.toThrow("it needs the variable TOKEN, which is not set");
    process.env["CADRE_TEST_CANARY"] = "canary";
    const withToken = connectTo(
      { ...plannedServer(plan), env: { KEY: "${TOKEN}", PLAIN: "x" } },
      { TOKEN: "t" },
    );
    const said = JSON.stringify(await withToken.call(act, {}, never));
    delete process.env["CADRE_TEST_CANARY"];
    expect(said).toContain('\\"KEY\\":\\"t\\",\\"PLAIN\\":\\"x\\"');
    expect(said).not.toContain("canary");
  });

  test("[A31] [I10] closing the connection ends the server's process and every process it started", async () => {
    const connection = connectToPlanned("leave-child");
    const { content } = await connection.call(act, {}, never);
    const child = Number((content[0] as { text: string }).text);
    expect(isAlive(child)).toBe(true);
    await connection.close();
    await waitUntilGone(startedPid());
    await waitUntilGone(child);
    await expect(connection.list()).rejects.toThrow("was ended with this process");
  });

  test("the server's process is started without a shell, so its arguments are not interpreted", async () => {
    const connection = connectTo({ command: "echo", args: ["$(touch pwned)", ";", "touch", "pwned"] });
    await expect(connection.list()).rejects.toThrow("it ended with code 0");
    expect(() => rmSync(join(folder, "pwned"))).toThrow(/ENOENT/);
  });
});
