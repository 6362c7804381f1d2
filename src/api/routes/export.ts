// A tree as a text: to carry it to another store, to read it elsewhere, to keep it. Carrying it away, and taking one in, are
// those of these that change something.

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
import { Nothing, named } from "./schemas.ts";

/** A tree that was moved out of another store: the text of the file. */
/** A server, without anything that is secret. */
const ServerAddress = z
  .string()
  .max(2_000)
  .regex(/^https?:\/\/[!-~]+$/);

export const MoveBody = named(
  "MoveBody",
  z.strictObject({
    /** The server that it is sent to: from then on no other one gets it. */
    to: ServerAddress.optional(),
  }),
);

export const MovedBody = named(
  "MovedBody",
  z.strictObject({ to: ServerAddress, outcome: z.enum(["arrived", "refused"]) }),
);
export type MovedBody = z.infer<typeof MovedBody>;

export const ImportBody = named("ImportBody", z.strictObject({ tree: z.string() }));

export const EXPORT_FORMATS = ["jsonl", "html"] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const ExportQuery = named(
  "ExportQuery",
  z.strictObject({ format: z.enum(EXPORT_FORMATS).default("jsonl") }),
);

/** A tree that was taken in. */
/** The header of a tree's file that says where it was sent before, if nobody knows whether it has arrived. */
export const SENT_TO = "Cadre-Sent-To";

export const ImportView = named(
  "ImportView",
  z.object({
    runId: z.string(),
    /** It came in before: nothing was changed. */
    existed: z.boolean(),
    runs: z.int(),
    status: z.string().optional(),
    /** Folders that its runs work in, and that are not there. */
    missing: z.array(z.string()),
  }),
);
export type ImportView = z.infer<typeof ImportView>;

const LINES = "application/x-ndjson";
/** In megabytes: all of a tree is checked before anything of it is written, so all of it is held. */
const MOST_TREE = 256;

export function exportRoutes({ store, people: { ids }, info: { version } }: ApiParts) {
  return [
    route(
      {
        method: "get",
        path: "/api/runs/{id}/export",
        summary: "The tree of a run as a file, to be read and checked elsewhere",
        query: ExportQuery,
        media: [LINES, "text/html"],
      },
      async ({ params: { id }, query: { format } }) => {
        const lines = copyOut(await findRun(store, id), { store, version });
        return format === "html" ? pageOf(lines) : streamed(LINES, lines);
      },
    ),
    route(
      {
        method: "post",
        path: "/api/runs/{id}/move",
        summary: "End the tree of a run here, and answer with the file that it goes on from elsewhere",
        body: MoveBody,
        media: [LINES],
      },
      async ({ params: { id }, body: { to } }) => {
        const row = await findRun(store, id);
        refuseBranch(row);
        const { lines, sentTo } = await moveOut(row, { store, ids, version }, to);
        return streamed(LINES, lines, sentTo === undefined ? {} : { [SENT_TO]: sentTo });
      },
    ),
    route(
      {
        method: "post",
        path: "/api/runs/{id}/moved",
        summary: "Tell what the server answered that the tree of a run was sent to",
        body: MovedBody,
        answer: Nothing,
      },
      async ({ params: { id }, body: { to, outcome } }) => {
        await store.transfers.settle((await findRun(store, id)).rootRunId, to, outcome);
        return {};
      },
    ),
    route(
      {
        method: "post",
        path: "/api/import",
        summary:
          "Take in a tree that was moved out of another store; the same transfer again changes nothing",
        body: ImportBody,
        maxMegabytes: MOST_TREE,
        answer: ImportView,
        role: "admin",
      },
      async ({ body: { tree } }) => {
        const { root, existed, runs } = await moveIn(tree, store);
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

/** Whoever names a run below the root may not know that all of its tree would end here. */
function refuseBranch({ id, rootRunId }: RunRow): void {
  if (id === rootRunId) return;
  throw new CadreError(
    "BAD_REQUEST",
    `${id} belongs to ${rootRunId}. Nothing was moved: a tree goes whole, by \`cadre export --format cadre ${rootRunId}\`.`,
  );
}

/** A journal says where its run works, and cannot be changed. */
async function missingFolders(store: Store, root: string): Promise<string[]> {
  const { runs } = await store.runs.list({ root, limit: 500 });
  const folders = runs.filter(({ endedAt }) => endedAt === undefined).map(({ workspace }) => workspace);
  return [...new Set(folders)].filter((folder) => !existsSync(folder));
}

/** To be kept, not to be shown from here: its words are strangers'. */
async function pageOf(lines: AsyncGenerator<string>): Promise<Response> {
  const text = (await Array.fromAsync(lines)).join("");
  const headers = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Disposition": "attachment",
    "Content-Security-Policy": "sandbox",
  };
  return new Response(treePage(readTree(text), text), { headers });
}

/** A text of any length: nobody holds all of it. */
function streamed(
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
