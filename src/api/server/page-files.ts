// Serves the built web page from memory, compressed. All URLs of the page get the same document, and its script decides what to show.

import { globSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { Context, Hono } from "hono";
import { type CompressedFile, compressedFile } from "./compressed-file.ts";

/** The URLs of the web page. Any other path gets a 404, so that mistakes in API paths are noticed. */
export const PAGES = [
  "/",
  "/r/:runId",
  "/inbox",
  "/decisions",
  "/agents",
  "/agents/:name",
  "/chat",
  "/chat/:sessionId",
  "/usage",
  "/compare",
  "/settings",
];

const DESCRIPTION = ["/docs", "/docs/style.css", "/openapi.json"];

/** Paths with the same answer for every user: the pages, whose script fetches the data, and the description of the API. */
export function isPagePath(path: string): boolean {
  const [first, ...rest] = path.split("/").slice(1);
  return [...PAGES, ...DESCRIPTION].some((page) => {
    const [own, ...variable] = page.split("/").slice(1);
    return own === first && variable.length === rest.length;
  });
}

const TYPES: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Adds routes for the built page, which is in `folder`. */
export function servePageFiles(app: Hono, folder: string, files: PageFiles): void {
  const page = readPage(folder);
  for (const path of PAGES) {
    app.get(path, (c) => {
      c.header("Cache-Control", "no-store");
      if (page === undefined) return c.html(NOT_BUILT);
      return c.html(page.replace("__NONCE__", nonceOf(c)));
    });
  }
  for (const [path, { body, type }] of files) {
    const compressed = path.startsWith("/assets/") ? sharedAsset(path, body) : compressedFile(body);
    app.get(path, async (c) => {
      c.header("Content-Type", type);
      c.header("Cache-Control", path.startsWith("/assets/") ? IMMUTABLE : "no-cache");
      c.header("Vary", "Accept-Encoding", { append: true });
      const smaller = await compressed.for(c.req.header("Accept-Encoding"));
      if (!smaller) return c.body(body);
      c.header("Content-Encoding", smaller.encoding);
      return c.body(smaller.body);
    });
  }
}

/** Names of assets contain a hash of the content, so all servers of a process share the compressed assets. */
const sharedAssets = new Map<string, CompressedFile>();

function sharedAsset(path: string, body: Uint8Array<ArrayBuffer>): CompressedFile {
  const known = sharedAssets.get(path) ?? compressedFile(body);
  sharedAssets.set(path, known);
  return known;
}

/** Returns the nonce that the security headers of this response allow. */
const nonceOf = (c: Context): string => (c.get("secureHeadersNonce") as string | undefined) ?? "";

/** Browsers can cache these files forever, because the file names contain a hash of the content. */
const IMMUTABLE = "private, max-age=31536000, immutable";

const NOT_BUILT =
  "<!doctype html><title>Cadre</title><p>The web page was not built: run <code>npm run build</code>, and start again. The API is there: see <a href=/docs>/docs</a>.";

function readPage(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, "index.html"), "utf8");
  } catch {
    return undefined;
  }
}

type PageFiles = ReadonlyMap<string, { body: Uint8Array<ArrayBuffer>; type: string }>;

/** Reads the scripts, styles and images of the built page. */
export function pageFiles(folder: string): PageFiles {
  return new Map(
    globSync("**/*.{js,css,svg}", { cwd: folder }).map((name) => [
      `/${name.replaceAll("\\", "/")}`,
      { body: new Uint8Array(readFileSync(join(folder, name))), type: TYPES[extname(name)]! },
    ]),
  );
}
