// For a command that needs the store itself: no other process may have it, where it has an owner.

import { loadConfig } from "../../config/config.ts";
import type { RuntimeAssembly } from "../../runtime/assembly.ts";
import { openOwnedRuntime } from "../../runtime/owned-runtime.ts";
import type { Invocation } from "../invocation.ts";
import { printIgnoredSettings } from "./ignored-settings.ts";

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
