import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { bestEncoding, compressedFile } from "./compressed-file.ts";

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
  expect(file.for("br")).toBe(file.for("br, gzip"));
  expect(file.for("identity")).toBeUndefined();
  expect(compressedFile(new TextEncoder().encode("tiny")).for("br")).toBeUndefined();
});
