// Writes the file of an exported tree.
// The file is created before the tree is moved, so that an unwritable path stops the export in time.
// The file gets its final name once it is complete on disk.

import { createHash } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import type { CadreClient } from "../../api/client/client.ts";
import type { ExportFormat } from "../../api/client/types.ts";
import { SENT_TO } from "../../api/routes/export.ts";
import { CadreError, describeSystemError } from "../../errors.ts";
import { isCopyHead } from "../../stores/move-tree.ts";
import { plainLine } from "../view/text/plain.ts";

interface Kept {
  bytes: number;
  sha256: string;
  /** True if the tree had already ended. An ended tree is copied, not moved. */
  isCopy: boolean;
  /** The server to which the tree was sent earlier. Only set if it is unknown whether the tree arrived. */
  sentTo?: string | undefined;
}

interface Written {
  runId: string;
  file: string;
  format: "cadre" | ExportFormat;
  /** The server to which the tree will be sent. */
  to: string | undefined;
}

export async function writeExport(client: CadreClient, { runId, file, format, to }: Written): Promise<Kept> {
  const beside = `${file}.part`;
  const handle = await open(beside, "w", 0o600).catch((error: unknown) => {
    throw new CadreError(
      "STORAGE_UNUSABLE",
      `${file} cannot be written (${describeSystemError(error)}). Nothing was exported, and nothing has changed: name another place with --to.`,
      undefined,
      error,
    );
  });
  try {
    const answer =
      format === "cadre"
        ? await client.send("post", "/api/runs/{id}/move", { id: runId, body: { to } })
        : await client.send("get", "/api/runs/{id}/export", { id: runId, format });
    const kept = await keep(answer, handle).catch((error: unknown) => {
      throw notWritten(error, file, format);
    });
    await rename(beside, file);
    return { ...kept, sentTo: answer.headers.get(SENT_TO) ?? undefined };
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

async function keep(answer: Response, handle: FileHandle): Promise<Kept> {
  const hash = createHash("sha256");
  let bytes = 0;
  let head = "";
  const decoder = new TextDecoder();
  for await (const chunk of answer.body ?? []) {
    if (!head.includes("\n")) head += decoder.decode(chunk, { stream: true });
    hash.update(chunk);
    bytes += chunk.byteLength;
    await handle.write(chunk);
  }
  await handle.sync();
  return { bytes, sha256: hash.digest("hex"), isCopy: isCopyHead(head.split("\n", 1)[0]!) };
}

function notWritten(error: unknown, file: string, format: string): CadreError {
  const lost =
    format === "cadre"
      ? " The tree has ended here; nothing is lost: export it again, to a writable place."
      : "";
  return new CadreError(
    "STORAGE_UNUSABLE",
    `${file} could not be written (${describeSystemError(error)}).${lost}`,
    undefined,
    error,
  );
}

/** Tells the person to create a missing folder at the path that the journal contains. `where` is a server or this machine. */
export const missingFolderText = (folder: string, where: string): string =>
  `The run works in ${plainLine(folder)}, which does not exist ${where}: create it before the run continues.`;
