// Starts a background process that continues the unfinished runs of a folder.
// The process exits when every run has ended or waits for a person, so it does not block the store for long.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Invocation } from "../invocation.ts";

export function continueInBackground(
  { folder, io }: Pick<Invocation, "folder" | "io">,
  { yes = false } = {},
): void {
  const launcher = fileURLToPath(new URL("../../../bin/cadre.js", import.meta.url));
  const args = [launcher, "run", "--json", "-C", folder, ...(yes ? ["--yes"] : [])];
  spawn(process.execPath, args, { cwd: folder, env: io.env, detached: true, stdio: "ignore" }).unref();
}
