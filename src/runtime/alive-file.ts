// Touches a file regularly unless this process is stuck. Health checks of workers use the file, because workers serve no port.
// The file does not depend on the store: restarting a worker does not help when its database is down.

import { writeFileSync } from "node:fs";
import { CadreError, describeSystemError } from "../errors.ts";

const EVERY_MS = 5_000;

/** Touches the file until the returned function is called. Does nothing if no file is given. */
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
      // The error is ignored: the health check will notice that the file is out of date.
    }
  }, EVERY_MS).unref();
  return () => clearInterval(timer);
}
