// Tests attachments in the API, in OpenAI's protocol, and at the URL that serves a file.

import { afterAll, beforeAll, expect, test } from "vitest";
import { PDF, PNG, sent } from "../../../test/support/sample-files.ts";
import { attachmentsOf, type JournalEvent } from "../../journal/events.ts";
import { assembleRuntime, type RuntimeAssembly } from "../../runtime/assembly.ts";
import { type Api, eventsUntil, isEnd, serveRuntime, tempProject } from "../fixtures/api.fixture.ts";
import { BUILT_PAGE, type PublicServer, startPublicServer } from "../server/public-server.ts";

const TOKEN = "a-token-that-is-long-enough-for-it";
const TALKER = "---\nname: talker\ndescription: Talks.\nmodel: scripted/talker\ntools: []\n---\nYou talk.\n";

let project: ReturnType<typeof tempProject>;
let runtime: RuntimeAssembly;
let api: Api;
let server: PublicServer;

beforeAll(async () => {
  project = tempProject({ "agents/talker.md": TALKER });
  const { folder } = project;
  const scripts = { talker: () => ({ text: "I see." }) };
  runtime = await assembleRuntime({ folder, home: folder, env: {}, scripts });
  api = await serveRuntime(runtime, folder);
  await runtime.start();
  const options = { host: "127.0.0.1", port: 0, token: TOKEN, names: [], page: BUILT_PAGE };
  server = await startPublicServer(api.parts, options);
});
afterAll(async () => {
  await server.close();
  await api.close();
  await runtime.stop();
  project.remove();
});

const filesOf = (events: readonly JournalEvent[]) => events.flatMap(attachmentsOf);
const names = (events: readonly JournalEvent[]): string[] => filesOf(events).map(({ name }) => name);
const get = (path: string, headers = { Authorization: `Bearer ${TOKEN}` }) =>
  fetch(`${server.url}${path}`, { headers });

test("[30.17] an exported page keeps its own policy, so it cannot run on this origin; other answers keep the policy of the server", async () => {
  const { runId } = await api.client.post("/api/runs", { body: { agent: "talker", task: "look" } });
  await eventsUntil(api, runId, isEnd);
  const policyOf = async (path: string) => (await get(path)).headers.get("content-security-policy");
  expect(await policyOf(`/api/runs/${runId}/export?format=html`)).toMatch(
    /^sandbox; default-src 'none'; style-src/,
  );
  for (const path of [
    `/api/runs/${runId}/export?format=none`,
    `/api/runs/${runId}`,
    "/api/none",
    "/",
    "/open/x",
  ]) {
    const policy = await policyOf(path);
    expect(policy, path).toMatch(/^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'/);
    expect(policy, path).not.toContain("sandbox");
  }
});

test("[A08] [A62] images are shown, PDFs are downloaded, and neither can run code; a request with a wrong hash or token is refused", async () => {
  const attachments = [sent('a"ä\r\n.png', PNG), sent("../b.pdf", PDF)];
  const { runId } = await api.client.post("/api/runs", {
    body: { agent: "talker", task: "look", attachments },
  });
  const [image, paper] = filesOf(await eventsUntil(api, runId, isEnd));
  const at = (blob: string) => `/api/runs/${runId}/attachments/${blob}`;
  const shown = await get(at(image!.blob));
  expect(Buffer.from(await shown.arrayBuffer())).toEqual(PNG);
  expect(Object.fromEntries(shown.headers)).toMatchObject({
    "content-type": "image/png",
    "content-disposition": "inline; filename*=UTF-8''a%22%C3%A4.png",
    "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
  });
  const download = await get(at(paper!.blob));
  expect(download.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''b.pdf");
  expect((await get(at(paper!.blob), { Authorization: "" })).status).toBe(401);
  const { definition } = await api.client.get("/api/runs/{id}", { id: runId });
  expect((await get(at(definition))).status, "only attachments are served").toBe(404);
});

test("a person can attach files to a message to a run or session; a file of an unsupported type is refused", async () => {
  const attachments = [sent("a.png", PNG)];
  const { runId } = await api.client.post("/api/sessions/{id}/messages", {
    id: "s1",
    body: { agent: "talker", text: "look", attachments },
  });
  expect(names(await eventsUntil(api, runId, isEnd))).toEqual(["a.png"]);
  const chat = await api.client.post("/api/chat", {
    body: { message: "look", agent_id: "talker", session_id: "s1", attachments },
  });
  expect(names(await eventsUntil(api, chat.run_id, isEnd))).toEqual(["a.png"]);
  const html = [sent("a.png", Buffer.from("<script>"))];
  await expect(
    api.client.post("/api/runs", { body: { agent: "talker", task: "look", attachments: html } }),
  ).rejects.toMatchObject({ code: "UNPROCESSABLE" });
});

const complete = (content: object[], more = {}) =>
  fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" },
    body: JSON.stringify({ model: "talker", messages: [{ role: "user", content }], ...more }),
  });
const dataUrl = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString("base64")}`;

test("a client of OpenAI's API sends images and PDFs as data URLs; other URLs are not fetched", async () => {
  const image = { type: "image_url", image_url: { url: dataUrl("image/png", PNG) } };
  const file = { type: "file", file: { filename: "b.pdf", file_data: dataUrl("application/pdf", PDF) } };
  const answer = await complete([{ type: "text", text: "look" }, image, file]);
  const { cadre } = (await answer.json()) as { cadre: { run_id: string } };
  expect(names(await eventsUntil(api, cadre.run_id, isEnd))).toEqual(["file-1.png", "b.pdf"]);
  const remote = { type: "image_url", image_url: { url: "https://example.com/a.png" } };
  const refused = await complete([{ type: "text", text: "look" }, remote]);
  expect([refused.status, await refused.text()]).toEqual([
    400,
    expect.stringContaining("Cadre fetches no other URLs"),
  ]);
});

test("without a session, the run also gets the files of earlier messages", async () => {
  const image = { type: "image_url", image_url: { url: dataUrl("image/png", PNG) } };
  const messages = [
    { role: "user", content: [{ type: "text", text: "look" }, image] },
    { role: "assistant", content: "A dot." },
    { role: "user", content: "What colour?" },
  ];
  const { cadre } = (await (await complete([], { messages })).json()) as { cadre: { run_id: string } };
  expect(names(await eventsUntil(api, cadre.run_id, isEnd))).toEqual(["file-1.png"]);
});
