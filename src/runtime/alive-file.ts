// A file whose time is of now, for as long as this process is not stuck: a worker serves nothing that could be asked. It
// says nothing of the store: ending workers because their database is away helps nobody.

import { writeFileSync } from "node:fs";
import { CadreError, describeSystemError } from "../errors.ts";

const EVERY_MS = 5_000;

/** Returns what ends it. Without a file there is nothing to do. */
export function touchWhileAlive(file: string | undefined): () => void {
  if (!file) return () => {};
  try {
    writeFileSync(file, "");
  } catch (error) {
    throw new CadreError(
      "CONFIG_INVALID",
      `CADRE_ALIVE_FILE cannot be written (${describeSystemError(error)}). Nothing was begun; name a file in a folder that this process may write to.`,
    );
  }
  const timer = setInterval(() => {
    try {
      writeFileSync(file, "");
    } catch {
      // Whoever looks at its time will say so.
    }
  }, EVERY_MS).unref();
  return () => clearInterval(timer);
}
