// Tests moving a tree directly to a server. The tree continues only on that server, even if requests or answers are lost.

import { existsSync } from "node:fs";
import { readFile, rename } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agent, type Finished, type Project, project } from "../cli.fixture.ts";

const FILES = {
  "agents/clerk.md": agent("clerk"),
  "clerk.script.yaml": `turns:
  - when: { turn: 1 }
    calls: [{ tool: Write, input: { path: note.txt, content: "hello" } }]
  - report: { summary: The note is written. }
`,
};

/** Starts a run that waits for a person. */
async function startWaitingRun(): Promise<{ laptop: Project; runId: string; send: Send }> {
  const laptop = await project(FILES);
  expect((await laptop.cadre("run", "clerk", "write it down")).code).toBe(3);
  const runId = String((await laptop.cadre("runs", "--json")).lines()[0]!["id"]);
  const send: Send = async (to, token = "") => {
    laptop.env["CADRE_DESTINATION_TOKEN"] = token || "none";
    const said = await laptop.cadre("export", "--format", "cadre", runId, "--to", to);
    return { ...said, stderr: said.stderr.replaceAll(/\s+/g, " ") };
  };
  return { laptop, runId, send };
}

type Send = (to: string, token?: string) => Promise<Finished>;

interface Desk {
  desk: Project;
  address: string;
  token: string;
}

async function startServer(): Promise<Desk> {
  const desk = await project(FILES);
  const up = desk.startHere("up", "--port", "0", "--no-open");
  const [, address] = await up.shows(/up at (http:\/\/[\d.:]+)/);
  const token = (await readFile(join(desk.folder, ".cadre", "token"), "utf8")).trim();
  return { desk, address: address!, token };
}

const idsAt = async ({ desk }: Desk) => (await desk.cadre("runs", "--json")).lines().map(({ id }) => id);

/** A proxy in front of a server. It drops the server's answer to an import, passes it on, or refuses the import itself. */
async function proxy(address: string, answer: () => "lost" | "passed" | "refused") {
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await Array.fromAsync(request as AsyncIterable<Buffer>);
    const how = request.url === "/api/import" ? answer() : "passed";
    if (how === "refused") {
      response.writeHead(422, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ error: { code: "UNPROCESSABLE", message: "It holds a secret." } }));
      return;
    }
    const { method = "GET", headers } = request;
    const asked = await fetch(`${address}${request.url}`, {
      method,
      headers: {
        Authorization: headers.authorization ?? "",
        ...(body.length > 0 ? { "Content-Type": "application/json" } : {}),
      },
      ...(body.length > 0 ? { body: Buffer.concat(body) } : {}),
    });
    const text = await asked.text();
    if (how === "lost") request.socket.destroy();
    else response.writeHead(asked.status, { "Content-Type": "application/json" }).end(text);
  };
  const server = createServer((request, response) => void pass(request, response));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.dispose]: () => void server.close(),
  };
}

describe("cadre export --format cadre --to a server", () => {
  test("[E7] a tree that has arrived at a server can be exported neither to a second server nor to a file", async () => {
    const { laptop, runId, send } = await startWaitingRun();
    await using _laptop = laptop;
    const [one, two] = [await startServer(), await startServer()];
    await using _one = one.desk;
    await using _two = two.desk;
    expect(await send(one.address, one.token)).toMatchObject({ code: 0, stderr: "" });
    for (const again of [
      await send(two.address, two.token),
      await send(one.address, one.token),
      await send("again.cadre"),
    ]) {
      expect(again).toMatchObject({ code: 1, stdout: "" });
      expect(again.stderr).toContain(`${runId} was moved to ${one.address} already, and goes on there`);
    }
    expect(await idsAt(two)).toEqual([]);
    expect(existsSync(join(laptop.folder, "again.cadre"))).toBe(false);
    expect(existsSync(join(laptop.folder, `${runId}.cadre`))).toBe(false);
  });

  test("[E7] if the server's answer is lost, the export can be repeated only to the same server, which imports the tree once", async () => {
    const { laptop, runId, send } = await startWaitingRun();
    await using _laptop = laptop;
    const [one, two] = [await startServer(), await startServer()];
    await using _one = one.desk;
    await using _two = two.desk;
    let how: "lost" | "passed" | "refused" = "lost";
    using before = await proxy(one.address, () => how);
    const lost = await send(before.address, one.token);
    expect(lost.code).toBe(1);
    expect(lost.stderr).toContain(`It is unknown whether ${before.address} has the tree`);
    expect(lost.stderr).not.toContain("The Cadre process that has the store");
    expect(await idsAt(one), "it has it").toEqual([runId]);

    const elsewhere = await send(two.address, two.token);
    expect(elsewhere.stderr).toContain(`was sent to ${before.address}, and whether it has arrived`);
    expect(await idsAt(two)).toEqual([]);
    how = "refused";
    expect((await send(before.address, one.token)).stderr).toContain("did not take the tree");
    expect((await send(two.address, two.token)).stderr, "the first try may have").toContain("is not known");
    const file = await send("again.cadre");
    expect(file).toMatchObject({ code: 0 });
    expect(file.stderr).toContain(`It was sent to ${before.address}, which may have it`);

    how = "passed";
    expect(await send(before.address, one.token)).toMatchObject({ code: 0, stderr: "" });
    expect(await idsAt(one)).toEqual([runId]);
    expect(existsSync(join(laptop.folder, `${runId}.cadre`))).toBe(false);
    expect((await send(two.address, two.token)).stderr).toContain("already, and goes on there");
  });

  test("[E7] if a server refuses a tree, the tree can be sent to another server", async () => {
    const { laptop, runId, send } = await startWaitingRun();
    await using _laptop = laptop;
    const [one, two] = [await startServer(), await startServer()];
    await using _one = one.desk;
    await using _two = two.desk;
    using before = await proxy(one.address, () => "refused");
    const refused = await send(before.address, one.token);
    expect(refused.stderr).toContain(`${before.address} did not take the tree: It holds a secret.`);
    expect(await send(two.address, two.token)).toMatchObject({ code: 0, stderr: "" });
    expect(await idsAt(two)).toEqual([runId]);
  });

  test("[E7] export reports a folder that is missing on the server; each refusal names the server", async () => {
    const { laptop, runId, send } = await startWaitingRun();
    await using _laptop = laptop;
    const one = await startServer();
    await using _one = one.desk;
    const wrong = await send(one.address, "wrong");
    expect(wrong.stderr).toContain(`the token in CADRE_DESTINATION_TOKEN is not valid for ${one.address}`);
    expect(wrong.stderr).not.toContain("open the link");
    const nobody = await send("http://127.0.0.1:9", one.token);
    expect(nobody.stderr).toContain("http://127.0.0.1:9 cannot be reached");
    expect(nobody.stderr).not.toContain("has the store");
    for (const { stderr } of [wrong, nobody]) expect(stderr).toContain("Nothing was moved");

    await using beside = await project({});
    Object.assign(beside.env, { CADRE_TRUST: "1", CADRE_DESTINATION_TOKEN: one.token });
    const away = join(beside.folder, "away");
    await rename(laptop.folder, away);
    const words = ["export", "--format", "cadre", runId, "--to", one.address, "--json"];
    const moved = await beside.cadre("-C", away, ...words);
    expect(moved.lines()).toMatchObject([{ runId, to: one.address, missing: [laptop.folder] }]);
    expect(moved.stderr).toBe(
      `cadre: The run works in ${laptop.folder}, which does not exist at ${one.address}: create it before the run continues.\n`,
    );
  });
});
