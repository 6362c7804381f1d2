// `cadre export RUN`: a tree as a file. As `cadre` it is moved: it ends here and goes on where the file is imported, or at
// the server that `--to` names. The other forms are copies to read and to check.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import type { CadreClient } from "../../api/client.ts";
import type { ExportFormat } from "../../api/schema.ts";
import { CadreError, reasonOf } from "../../errors.ts";
import { isCopyHead } from "../../stores/carry.ts";
import { withClient } from "../connect.ts";
import { type Destination, destinationOf, isAddress } from "../destination.ts";
import { EXIT, type Invocation } from "../io.ts";
import { megabytes } from "../view/format.ts";
import { jsonLine } from "../view/plain.ts";

export interface ExportOptions {
  format: "cadre" | ExportFormat;
  to?: string;
}

interface Kept {
  bytes: number;
  sha256: string;
  /** The tree had ended: nothing was moved. */
  isCopy: boolean;
}

export async function exportRun(
  { folder, io, json, screen, typed }: Invocation,
  id: string,
  { format, to }: ExportOptions,
): Promise<number> {
  const there = to !== undefined && isAddress(to) ? destinationOf(to, format, io.env) : undefined;
  const { runId, file, ...kept } = await withClient({ folder, env: io.env }, async (client) => {
    const { id: runId, rootRunId } = await client.run(id);
    const own = `${format === "cadre" ? rootRunId : runId}.${format}`;
    const file = resolve(io.cwd, there ? own : (to ?? own));
    // One that was not taken there is written again as it was.
    if (!there && existsSync(file))
      throw new CadreError(
        "USAGE",
        `There is a file ${file} already. Nothing was exported: move it away, or name another one with --to.`,
      );
    await there?.check(rootRunId);
    return { runId: rootRunId, file, ...(await write(client, { runId, file, format })) };
  });
  const { bytes, sha256, isCopy } = kept;
  if (there) await there.take(file);
  const place = there ? { to: there.place } : { file };
  if (json) screen.line(jsonLine({ runId, format, ...place, bytes, sha256 }));
  else for (const line of said({ runId, file, bytes, format, isCopy, there }, typed)) screen.line(line);
  return EXIT.done;
}

function said(
  about: {
    runId: string;
    file: string;
    bytes: number;
    format: string;
    isCopy: boolean;
    there?: Destination | undefined;
  },
  typed: Invocation["typed"],
): string[] {
  const { runId, file, format, isCopy, there } = about;
  const size = megabytes(about.bytes);
  if (format !== "cadre") return [`Wrote ${file} (${size}). Check it anywhere: cadre verify ${file}`];
  if (there)
    return [
      isCopy
        ? `Copied ${runId} to ${there.place} (${size}). It had ended, so nothing was moved.`
        : `Moved ${runId} to ${there.place} (${size}). Here it has ended; it goes on there.`,
    ];
  if (isCopy)
    return [
      `Wrote ${file} (${size}), a copy of ${runId}: it had ended, so nothing was moved.`,
      `Take it in elsewhere: cadre import ${file}`,
    ];
  return [
    `Moved ${runId} to ${file} (${size}). Here it has ended.`,
    `It goes on where you import it, once: cadre import ${file}`,
    `Until then keep the file; asked again, \`${typed(`export --format cadre ${runId}`)}\` writes the same.`,
  ];
}

/** Nothing is moved before there is a file to write to; under its name only when all of it is on disk. */
async function write(
  client: CadreClient,
  { runId, file, format }: { runId: string; file: string; format: ExportOptions["format"] },
): Promise<Kept> {
  const beside = `${file}.part`;
  const handle = await open(beside, "w", 0o600).catch((error: unknown) => {
    throw new CadreError(
      "STORAGE_UNUSABLE",
      `${file} cannot be written (${reasonOf(error)}). Nothing was exported, and nothing has changed: name another place with --to.`,
      undefined,
      error,
    );
  });
  try {
    const answer = format === "cadre" ? await client.move(runId) : await client.exported(runId, format);
    const kept = await keep(answer, handle).catch((error: unknown) => {
      throw notWritten(error, file, format);
    });
    await rename(beside, file);
    return kept;
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
      ? " The tree has ended here; nothing is lost: export it again, to a place that takes the file."
      : "";
  return new CadreError(
    "STORAGE_UNUSABLE",
    `${file} could not be written (${reasonOf(error)}).${lost}`,
    undefined,
    error,
  );
}
