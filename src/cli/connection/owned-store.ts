// Opens the store itself for a command, which must own it if it is a file.

import { loadConfig } from "../../config/config.ts";
import type { RuntimeAssembly } from "../../runtime/assembly.ts";
import { openOwnedRuntime } from "../../runtime/owned-runtime.ts";
import type { Invocation } from "../invocation.ts";
import { printIgnoredSettings } from "./ignored-settings.ts";

/** `refusal`: the end of the error if another process owns the store. */
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
