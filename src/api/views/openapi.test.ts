// Tests the description of the API that the server publishes.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assembleRuntime } from "../../runtime/assembly.ts";
import { createAccessKeys } from "../access/keys.ts";
import { type Api, sendRequest, serveRuntime, tempProject } from "../fixtures/api.fixture.ts";
import { apiDocs } from "../fixtures/api-docs.fixture.ts";
import { noUsers } from "../fixtures/public-server.fixture.ts";
import { BUILT_PAGE, createPublicApp } from "../server/public-server.ts";
import { docsPage } from "./docs-page.ts";
import type { OpenApi } from "./openapi.ts";

let api: Api;
let stop: () => Promise<void>;
let document: OpenApi;

beforeAll(async () => {
  const { folder, remove } = tempProject({});
  const runtime = await assembleRuntime({ folder, home: folder, env: { XDG_CONFIG_HOME: folder } });
  api = await serveRuntime(runtime, folder);
  document = (await sendRequest(api, "GET", "/openapi.json")).body;
  stop = async () => {
    await api.close();
    await runtime.stop();
    remove();
  };
});
afterAll(() => stop());

test("the description is OpenAPI 3.1, and every reference resolves", () => {
  expect(document.openapi).toBe("3.1.0");
  const names = JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g);
  for (const [, name] of names) {
    expect(name).toMatch(/^#\/components\/schemas\/\w+$/);
    expect(document.components.schemas).toHaveProperty(name!.split("/").at(-1)!);
  }
});

test("[V5] the description contains exactly the routes that the server has", () => {
  const served = api.app.routes
    .filter(({ method, path }) => method !== "ALL" && !/^\/(openapi\.json|docs.*)$/.test(path))
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)({[^}]+})?/g, "{$1}")}`);
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(described.toSorted()).toEqual([...new Set(served)].toSorted());
});

test("docs/api.md is up to date", async () => {
  await expect(apiDocs(document)).toMatchFileSnapshot("../../../docs/api.md");
});

test("each operation has a unique name", () => {
  const ids = operations(document).map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test("optional fields are not listed as required", () => {
  const { parameters } = document.paths["/api/runs"]!["get"]!;
  expect(parameters.filter(({ required }) => required)).toEqual([]);
  expect(parameters.map(({ name }) => name)).toContain("cursor");
  expect(document.components.schemas["StartRun"]).toMatchObject({
    required: ["agent", "task"],
    additionalProperties: false,
  });
});

describe("the description as a web page", () => {
  test("[A62] the page contains no script and no inline style, and loads nothing from other sites", async () => {
    const response = await api.fetch("http://cadre/docs");
    expect(response.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    const page = await response.text();
    expect(page).toContain("/api/runs/{id}");
    expect(page).not.toMatch(/<script|<style|\sstyle=|\son\w+=|https?:/i);
    const style = await api.fetch("http://cadre/docs/style.css");
    expect(style.headers.get("Content-Type")).toBe("text/css; charset=utf-8");
    expect(await style.text()).not.toMatch(/url\(|@import/);
  });

  test("[A14] [A62] the page requires the token, and its security policy forbids everything by default", async () => {
    const token = "a-token-that-is-long-enough-for-it";
    const app = createPublicApp(
      api.parts,
      { keys: createAccessKeys(token), visitors: noUsers },
      {
        host: "127.0.0.1",
        port: 0,
        names: [],
        page: BUILT_PAGE,
      },
    );
    for (const path of ["/docs", "/docs/style.css", "/openapi.json", "/metrics"]) {
      const url = `http://localhost${path}`;
      const headers = { Host: "localhost", Authorization: `Bearer ${token}` };
      expect((await app.request(url, { headers: { Host: "localhost" } })).status, path).toBe(401);
      const response = await app.request(url, { headers });
      expect(response.status, path).toBe(200);
      expect(response.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    }
  });

  test("[A62] the page escapes text from the description", () => {
    const evil = '<img src=x onerror="alert(1)">';
    const page = docsPage({ ...document, info: { title: evil, version: evil, description: evil } });
    expect(page).not.toContain("<img");
    expect(page).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;");
  });

  test("every link leads to an anchor on the page", () => {
    const page = docsPage(document);
    const places = new Set(Array.from(page.matchAll(/ id="([^"]+)"/g), ([, id]) => id));
    for (const [, id] of page.matchAll(/href="#([^"]+)"/g)) expect(places).toContain(id);
  });
});

const operations = ({ paths }: OpenApi) => Object.values(paths).flatMap((methods) => Object.values(methods));
