// For a command that needs the store itself: no other process may have it, where it has an owner.

import { loadConfig } from "../config.ts";
import type { RuntimeAssembly } from "../runtime.ts";
import type { Invocation } from "./io.ts";
import { printIgnoredSettings } from "./left-out.ts";
import { openOwnedRuntime } from "./own-runtime.ts";

/** `refusal`: what did not happen, and what to do, where another process has it. */
export async function withOwnedStore<T>(
  { folder, io }: Invocation,
  refusal: string,
  use: (runtime: RuntimeAssembly) => Promise<T>,
): Promise<T> {
  printIgnoredSettings(loadConfig({ folder, env: io.env }), io);
  const runtime = await openOwnedRuntime({ folder, env: io.env }, refusal);
  try {
    return await use(runtime);
  } finally {
    await runtime.stop();
  }
}
