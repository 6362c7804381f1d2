// Runs each program with the command in its first line, each in its own folder.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const temporary = mkdtempSync(join(tmpdir(), "cadre-library-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true, maxRetries: 5 }));

function start(name: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(import.meta.dirname, `${name}.ts`)], {
    cwd: temporary,
    env: { PATH: process.env["PATH"], HOME: temporary, TMPDIR: temporary, ...env },
  });
  let text = "";
  child.stdout.on("data", (data) => {
    text += data;
  });
  child.stderr.on("data", (data) => {
    text += data;
  });
  return { child, ended: once(child, "close"), printed: () => text };
}

async function outputOf(name: string): Promise<string> {
  const { ended, printed } = start(name);
  await ended;
  return printed();
}

test("hello.ts prints the answer", async () => {
  expect(await outputOf("hello")).toBe("Hello, Ada!\n");
});

test("team.ts prints what happens in the tree", async () => {
  const lines = (await outputOf("team")).split("\n");
  expect(lines).toEqual(
    expect.arrayContaining(["critic: Nobody has tested the backup.", "fan: Users wait half as long."]),
  );
  expect(lines.slice(-3)).toEqual([
    "lead: Move on Monday, after a test of the backup.",
    "completed, $0.00",
    "",
  ]);
});

test("queue-worker.ts does a job once, even if the queue delivers it twice", async () => {
  const printed = await outputOf("queue-worker");
  expect(printed.match(/^Mail to .*$/gm)).toEqual(["Mail to ann@example.com: Your parcel is on its way."]);
  const runs = [...printed.matchAll(/^job-1 is done by run (\S+)/gm)].map(([, id]) => id);
  expect(runs).toHaveLength(2);
  expect(new Set(runs).size).toBe(1);
});

test("after kill -9, refund.ts asks the same question again, and refunds only once", async () => {
  const first = start("refund");
  await expect.poll(first.printed).toContain("Refund 5 € of order 7. Approve? (y/n)");
  first.child.kill("SIGKILL");
  await first.ended;
  const second = start("refund");
  await expect.poll(second.printed).toContain("Approve? (y/n)");
  second.child.stdin.write("y\n");
  await second.ended;
  expect(second.printed()).toContain("Refunded: 500 cents");
  expect(await outputOf("refund")).toContain("Refunded: 500 cents");
  expect(readFileSync(join(temporary, "refunds.txt"), "utf8")).toMatch(/^\S+ order 7: 500 cents\n$/);
});

test("chat-server.ts sends the stream that `useChat` expects, also when it starts again after kill -9", async () => {
  const question = { id: "u1", role: "user", parts: [{ type: "text", text: "Is it durable?" }] };
  const first = start("chat-server", { PORT: "0" });
  const url = async ({ printed }: typeof first): Promise<string> => {
    await expect.poll(printed).toMatch(/Listening on http:\S+\n/);
    return /http:\S+/.exec(printed())![0];
  };
  const answered = await fetch(`${await url(first)}/api/chat`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ id: "c1", messages: [question] }),
  });
  expect(textOf(await answered.text())).toBe("You asked: Is it durable?");
  first.child.kill("SIGKILL");
  await first.ended;
  const second = start("chat-server", { PORT: "0" });
  const address = await url(second);
  const repeated = await fetch(`${address}/api/chat/c1/stream`);
  expect(textOf(await repeated.text())).toBe("You asked: Is it durable?");
  expect((await fetch(`${address}/api/chat/none/stream`)).status).toBe(204);
  second.child.kill("SIGKILL");
  await second.ended;
});

const textOf = (stream: string): string =>
  [...stream.matchAll(/"delta":("[^"]*")/g)].map(([, delta]) => JSON.parse(delta!) as string).join("");
