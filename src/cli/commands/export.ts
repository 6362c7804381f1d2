// `cadre export RUN`: a tree as a file. As `cadre` it is moved: it ends here and goes on where the file is imported. The
// other forms are copies to read and to check.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import type { ExportFormat } from "../../api/schema.ts";
import { CadreError, reasonOf } from "../../errors.ts";
import { withClient } from "../connect.ts";
import { EXIT, type Invocation } from "../io.ts";
import { megabytes } from "../view/format.ts";
import { jsonLine } from "../view/plain.ts";

export interface ExportOptions {
  format: "cadre" | ExportFormat;
  to?: string;
}

export async function exportRun(
  { folder, io, json, screen, typed }: Invocation,
  id: string,
  { format, to }: ExportOptions,
): Promise<number> {
  const { runId, file, bytes, sha256 } = await withClient({ folder, env: io.env }, async (client) => {
    const { id: runId, rootRunId } = await client.run(id);
    const name = to ?? `${format === "cadre" ? rootRunId : runId}.${format}`;
    const file = resolve(io.cwd, name);
    if (existsSync(file))
      throw new CadreError(
        "USAGE",
        `There is a file ${file} already. Nothing was exported: move it away, or name another one with --to.`,
      );
    const answer = format === "cadre" ? await client.move(runId) : await client.exported(runId, format);
    return { runId: rootRunId, file, ...(await keep(answer, file, format)) };
  });
  if (json) screen.line(jsonLine({ runId, format, file, bytes, sha256 }));
  else if (format === "cadre") {
    screen.line(`Moved ${runId} to ${file} (${megabytes(bytes)}). Here it has ended.`);
    screen.line(`It goes on where you import it, once: cadre import ${file}`);
    screen.line(
      `Until then keep the file; asked again, \`${typed(`export --format cadre ${runId}`)}\` writes the same.`,
    );
  } else screen.line(`Wrote ${file} (${megabytes(bytes)}). Check it anywhere: cadre verify ${file}`);
  return EXIT.done;
}

/** Under its name only when all of it is on disk. */
async function keep(
  answer: Response,
  file: string,
  format: string,
): Promise<{ bytes: number; sha256: string }> {
  const beside = `${file}.part`;
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    const handle = await open(beside, "w", 0o600);
    try {
      for await (const chunk of answer.body ?? []) {
        hash.update(chunk);
        bytes += chunk.byteLength;
        await handle.write(chunk);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(beside, file);
  } catch (error) {
    await rm(beside, { force: true });
    const lost =
      format === "cadre"
        ? " The tree has ended here; nothing is lost: export it again, to a place that takes the file."
        : "";
    throw new CadreError(
      "STORAGE_UNUSABLE",
      `${file} could not be written (${reasonOf(error)}).${lost}`,
      undefined,
      error,
    );
  }
  return { bytes, sha256: hash.digest("hex") };
}
