// Exports a tree of runs as a file, moves a tree to another store, and imports a tree.

import { existsSync } from "node:fs";
import { z } from "zod";
import { CadreError } from "../../errors.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { copyOut, moveIn, moveOut } from "../../stores/move-tree.ts";
import type { Store } from "../../stores/store.ts";
import { readTree } from "../../stores/tree-file.ts";
import type { ApiParts } from "../parts.ts";
import { findRun } from "../views/read-runs.ts";
import { treePage } from "../views/tree-page.ts";
import { route } from "./route.ts";
import { namedObject, namedStrictObject } from "./schemas.ts";

/** The URL of a server. It must not contain secrets. */
const ServerAddress = z
  .string()
  .max(2_000)
  .regex(/^https?:\/\/[!-~]+$/);

export const MoveBody = namedStrictObject("MoveBody", {
  /** The server that receives the tree. Once this server is set, no other server can receive the tree. */
  to: ServerAddress.optional(),
});

export const MovedBody = namedStrictObject("MovedBody", {
  to: ServerAddress,
  outcome: z.enum(["arrived", "refused"]),
});
export type MovedBody = z.infer<typeof MovedBody>;

export const ImportBody = namedStrictObject("ImportBody", {
  tree: z.string(),
  /** True if a person has seen what the tree brings along. Without it, such a tree is refused, and `brings` lists it. */
  accept: z.boolean().exactOptional(),
});

export const EXPORT_FORMATS = ["jsonl", "html"] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const ExportQuery = z.strictObject({ format: z.enum(EXPORT_FORMATS).default("jsonl") });

/** Response header. If the tree was sent to a server that never confirmed its arrival, the header names that server. */
export const SENT_TO = "Cadre-Sent-To";

export const ImportView = namedObject("ImportView", {
  runId: z.string(),
  /** True if the tree was imported before. In that case nothing was changed. */
  existed: z.boolean(),
  runs: z.int(),
  status: z.string().optional(),
  /** Folders that are missing on this machine, although unfinished runs of the tree need them. */
  missing: z.array(z.string()),
});
export type ImportView = z.infer<typeof ImportView>;

const LINES = "application/x-ndjson";
/** A tree is checked as a whole before anything is written, so it has to fit into memory. */
const MAX_TREE_MEGABYTES = 256;

export function exportRoutes({ store, people: { ids }, info: { version, folder } }: ApiParts) {
  return [
    route.get(
      "/api/runs/{id}/export",
      {
        summary: "The tree of a run as a file, to read and verify elsewhere",
        query: ExportQuery,
        media: [LINES, "text/html"],
      },
      async ({ params: { id }, query: { format } }) => {
        const lines = copyOut(await findRun(store, id), { store, version });
        return format === "html" ? pageOf(lines) : streamLines(LINES, lines);
      },
    ),
    route.post(
      "/api/runs/{id}/move",
      {
        summary: "End the tree of a run here, and answer with the file to continue it from elsewhere",
        body: MoveBody,
        media: [LINES],
      },
      async ({ params: { id }, body: { to } }) => {
        const row = await findRun(store, id);
        refuseBranch(row);
        const { lines, sentTo } = await moveOut(row, { store, ids, version }, to);
        return streamLines(LINES, lines, sentTo === undefined ? {} : { [SENT_TO]: sentTo });
      },
    ),
    route.post(
      "/api/runs/{id}/moved",
      { summary: "Record the answer of the server that the tree of a run was sent to", body: MovedBody },
      async ({ params: { id }, body: { to, outcome } }) =>
        store.transfers.settle((await findRun(store, id)).rootRunId, to, outcome),
    ),
    route.post(
      "/api/import",
      {
        summary: "Import a tree that was moved out of another store; repeating it changes nothing",
        body: ImportBody,
        maxMegabytes: MAX_TREE_MEGABYTES,
        answer: ImportView,
        role: "admin",
      },
      async ({ body: { tree, accept = false } }) => {
        const { root, existed, runs } = await moveIn(tree, store, { folder, accepted: accept });
        const row = await store.runs.get(root);
        return {
          runId: root,
          existed,
          runs,
          status: row?.status,
          missing: await missingFolders(store, root),
        };
      },
    ),
  ];
}

/** Refuses to move part of a tree. A user who names a descendant might not expect the whole tree to leave this store. */
function refuseBranch({ id, rootRunId }: RunRow): void {
  if (id === rootRunId) return;
  throw new CadreError(
    "BAD_REQUEST",
    `${id} belongs to ${rootRunId}. Nothing was moved: move the whole tree with \`cadre export --format cadre ${rootRunId}\`.`,
  );
}

/** Lists the missing workspaces of unfinished runs. A run's workspace is part of its journal and cannot change. */
async function missingFolders(store: Store, root: string): Promise<string[]> {
  const { runs } = await store.runs.list({ root, limit: 500 });
  const folders = runs.filter(({ endedAt }) => endedAt === undefined).map(({ workspace }) => workspace);
  return [...new Set(folders)].filter((folder) => !existsSync(folder));
}

/** Answers with a download. The page contains untrusted text, so the browser must not open it on this origin. */
async function pageOf(lines: AsyncGenerator<string>): Promise<Response> {
  const text = (await Array.fromAsync(lines)).join("");
  const headers = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Disposition": "attachment",
    // The page allows only its own style by a policy inside it. The browser applies both policies.
    "Content-Security-Policy":
      "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  };
  return new Response(treePage(readTree(text), text), { headers });
}

/** Streams the lines, so that a large tree does not fill the memory. */
function streamLines(
  type: string,
  lines: AsyncGenerator<string>,
  headers: Record<string, string> = {},
): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await lines.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: async () => void (await lines.return(undefined)),
  });
  return new Response(body, { headers: { ...headers, "Content-Type": `${type}; charset=utf-8` } });
}
