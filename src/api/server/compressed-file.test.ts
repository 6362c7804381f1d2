import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { Hono } from "hono";
import { expect, test } from "vitest";
import { bestEncoding, compressedFile, compressJson } from "./compressed-file.ts";

test("[29.20] the best encoding that the request accepts is used; a weight of zero refuses one", () => {
  expect(bestEncoding("gzip, deflate, br, zstd")).toBe("br");
  expect(bestEncoding("gzip;q=1.0, br;q=0")).toBe("gzip");
  expect(bestEncoding("BR; q=0.5")).toBe("br");
  expect(["identity", "", "br;q=0.0", undefined].map(bestEncoding)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test("[29.20] a file is compressed once for each encoding, and a small file is sent as it is", async () => {
  const body = new TextEncoder().encode("const answer = 42;\n".repeat(500));
  const file = compressedFile(body);
  const br = await file.for("br")!;
  expect(new Uint8Array(brotliDecompressSync(br.body))).toEqual(body);
  expect(br.body.length).toBeLessThan(body.length / 10);
  expect(new Uint8Array(gunzipSync((await file.for("gzip")!).body))).toEqual(body);
  // A stronger compression replaces the first one as soon as it is ready, and is kept.
  await expect.poll(async () => (await file.for("br")!) !== br).toBe(true);
  expect(file.for("br")).toBe(file.for("br, gzip"));
  const strong = (await file.for("br")!).body;
  expect(new Uint8Array(brotliDecompressSync(strong))).toEqual(body);
  expect(file.for("identity")).toBeUndefined();
  expect(compressedFile(new TextEncoder().encode("tiny")).for("br")).toBeUndefined();
});

test("[29.20] a large JSON answer is compressed for clients that accept it; small ones and event streams are not", async () => {
  const rows = Array.from({ length: 200 }, (_, id) => ({ id, status: "completed" }));
  const app = new Hono();
  app.use("/api/*", compressJson);
  app.get("/api/rows", (c) => c.json(rows, 200, { ETag: '"a"' }));
  app.get("/api/one", (c) => c.json(rows[0]));
  app.get("/api/live", (c) =>
    c.body("data: 1\n\n".repeat(500), 200, { "Content-Type": "text/event-stream" }),
  );
  const ask = async (path: string, accept: string) => {
    const answer = await app.request(path, { headers: { "Accept-Encoding": accept } });
    return { answer, encoding: answer.headers.get("Content-Encoding"), body: await answer.arrayBuffer() };
  };
  const br = await ask("/api/rows", "gzip, br");
  expect(br.encoding).toBe("br");
  expect(br.answer.headers.get("Vary")).toBe("Accept-Encoding");
  expect(br.answer.headers.get("ETag")).toBe('"a"');
  expect(JSON.parse(String(brotliDecompressSync(br.body)))).toEqual(rows);
  expect(JSON.parse(String(gunzipSync((await ask("/api/rows", "gzip")).body)))).toEqual(rows);
  const plain = await ask("/api/rows", "identity");
  expect(plain.encoding).toBeNull();
  expect(JSON.parse(new TextDecoder().decode(plain.body))).toEqual(rows);
  expect((await ask("/api/one", "br")).encoding).toBeNull();
  expect((await ask("/api/live", "br")).encoding).toBeNull();
});
