// Touches a file as long as this process is not stuck, for health checks of workers, which serve no port.
// The file says nothing about the store: restarting workers does not help when their database is down.

import { writeFileSync } from "node:fs";
import { CadreError, describeSystemError } from "../errors.ts";

const EVERY_MS = 5_000;

/** Returns the function that stops the touching. Does nothing without a file. */
export function touchWhileAlive(file: string | undefined): () => void {
  if (!file) return () => {};
  try {
    writeFileSync(file, "");
  } catch (error) {
    throw new CadreError(
      "CONFIG_INVALID",
      `CADRE_ALIVE_FILE cannot be written (${describeSystemError(error)}). Nothing was started; name a file in a folder this process may write to.`,
    );
  }
  const timer = setInterval(() => {
    try {
      writeFileSync(file, "");
    } catch {
      // The health check notices that the file is stale.
    }
  }, EVERY_MS).unref();
  return () => clearInterval(timer);
}
