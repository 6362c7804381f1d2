// `cadre export RUN`: writes a tree to a file.
// The format `cadre` moves the tree: the tree ends in this store and continues in the store that imports the file.
// `--to` can name a server, which then imports the tree directly.
// The other formats are copies for reading and verifying.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { CadreClient } from "../../api/client/client.ts";
import type { ExportFormat } from "../../api/client/types.ts";
import { loadConfig } from "../../config/config.ts";
import { fileSize } from "../../projections/words/format.ts";
import { withClient } from "../connection/connect.ts";
import { type Destination, destinationOf, isServerAddress } from "../export/destination.ts";
import { missingFolderText, writeExport } from "../export/write-export.ts";
import { commandLineFor, EXIT, type Invocation, report, usageError } from "../invocation.ts";
import { allNodes } from "../view/text/branches.ts";

interface ExportOptions {
  format: "cadre" | ExportFormat;
  to?: string;
}

export async function exportRun(
  invocation: Invocation,
  id: string,
  { format, to }: ExportOptions,
): Promise<number> {
  const { io } = invocation;
  const there = to !== undefined && isServerAddress(to) ? destinationOf(to, format, io.env) : undefined;
  const { runId, file, bytes, sha256, isCopy, sentTo } = await withClient(invocation, async (client) => {
    const { id: runId, rootRunId } = await client.get("/api/runs/{id}", { id });
    const own = `${format === "cadre" ? rootRunId : runId}.${format}`;
    const file = to === undefined || there ? join(exportsFolder(invocation), own) : resolve(io.cwd, to);
    // When a tree is sent to a server, a file that already exists is left over from a failed attempt and can be overwritten.
    if (!there && existsSync(file))
      throw usageError(
        `${file} already exists. Nothing was exported: move it, or name another file with --to.`,
      );
    await there?.check(rootRunId, await hasLeft(client, rootRunId));
    const kept = await writeExport(client, { runId, file, format, to: there?.url });
    return { ...kept, runId: rootRunId, file };
  });
  const taken = await there?.deliver(file, (outcome) =>
    withClient(invocation, async (client) => {
      await client.post("/api/runs/{id}/moved", { id: runId, body: { to: there.url, outcome } });
    }),
  );
  const place = there ? { to: there.url, missing: taken!.missing } : { file };
  const lines = exportLines({ runId, file, bytes, format, isCopy, there }, invocation);
  report(invocation, { runId, format, ...place, bytes, sha256 }, lines);
  for (const folder of taken?.missing ?? [])
    io.stderr.write(`cadre: ${missingFolderText(folder, `at ${there!.url}`)}\n`);
  if (!there && sentTo !== undefined)
    io.stderr.write(
      `cadre: It was sent to ${sentTo}, which may have it. Import the file elsewhere only if it is not there.\n`,
    );
  return EXIT.done;
}

/** Agents and git do not see Cadre's own folder, so that an exported conversation is not found by the next search. */
function exportsFolder({ folder, io }: Invocation): string {
  const exports = join(loadConfig({ folder, env: io.env }).dir, "exports");
  mkdirSync(exports, { recursive: true, mode: 0o700 });
  writeFileSync(join(exports, ".gitignore"), "*\n", { mode: 0o600 });
  return exports;
}

interface Exported {
  runId: string;
  file: string;
  bytes: number;
  format: string;
  isCopy: boolean;
  there?: Destination | undefined;
}

function exportLines(exported: Exported, { io, commandLine }: Invocation): string[] {
  const { runId, file, bytes, format, isCopy, there } = exported;
  const size = fileSize(bytes);
  // The printed command does not name this project's folder, because the person will type it in another project.
  const elsewhere = commandLineFor(io, io.cwd);
  if (format !== "cadre")
    return [`Wrote ${file} (${size}). Check it anywhere: ${elsewhere(`verify ${file}`)}`];
  if (there)
    return [
      isCopy
        ? `Copied ${runId} to ${there.url} (${size}). It had ended, so nothing was moved.`
        : `Moved ${runId} to ${there.url} (${size}). It has ended here and continues there.`,
    ];
  if (isCopy)
    return [
      `Wrote ${file} (${size}), a copy of ${runId}: it had ended, so nothing was moved.`,
      `Import it elsewhere: ${elsewhere(`import ${file}`)}`,
    ];
  return [
    `Moved ${runId} to ${file} (${size}). It has ended here.`,
    `It continues where you import it, once: ${elsewhere(`import ${file}`)}`,
    `Keep the file until then; \`${commandLine(`export --format cadre ${runId}`)}\` writes it again.`,
  ];
}

const hasLeft = async (client: CadreClient, root: string): Promise<boolean> =>
  allNodes(await client.get("/api/runs/{id}/tree", { id: root })).some(
    ({ stopReason }) => stopReason === "moved",
  );
