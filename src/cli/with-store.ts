// For a command that needs the store itself: no other process may have it, where it has an owner.

import { checkStore } from "../config/known-stores.ts";
import { loadConfig } from "../config.ts";
import { CadreError } from "../errors.ts";
import { createRuntime, type Runtime, takeOwnership } from "../runtime.ts";
import { isFile, recognised } from "./connect.ts";
import type { Invocation } from "./io.ts";
import { sayLeftOut } from "./left-out.ts";
import { version } from "./version.ts";

/** `refusal`: what did not happen, and what to do, where another process has it. */
export async function withStore<T>(
  { folder, io }: Invocation,
  refusal: string,
  use: (runtime: Runtime) => Promise<T>,
): Promise<T> {
  const config = loadConfig({ folder, env: io.env });
  const { dir } = config;
  sayLeftOut(config, io);
  const check = checkStore(config, io.env);
  const owned = isFile(config)
    ? await takeOwnership(dir, { startedAt: Date.now(), version: version() })
    : { release: () => {} };
  if ("owner" in owned)
    throw new CadreError(
      "STORE_OWNED",
      `Process ${owned.owner.pid} has the store and may be at work. ${refusal}`,
    );
  try {
    const runtime = await createRuntime({ folder, env: io.env });
    if (isFile(config)) await recognised(runtime, check);
    try {
      return await use(runtime);
    } finally {
      await runtime.stop();
    }
  } finally {
    owned.release();
  }
}
