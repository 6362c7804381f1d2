// For a command that needs the store itself: no other process may have it, where it has an owner.

import { loadConfig } from "../config.ts";
import type { Runtime } from "../runtime.ts";
import type { Invocation } from "./io.ts";
import { sayLeftOut } from "./left-out.ts";
import { ownRuntime } from "./own-runtime.ts";

/** `refusal`: what did not happen, and what to do, where another process has it. */
export async function withStore<T>(
  { folder, io }: Invocation,
  refusal: string,
  use: (runtime: Runtime) => Promise<T>,
): Promise<T> {
  sayLeftOut(loadConfig({ folder, env: io.env }), io);
  const runtime = await ownRuntime({ folder, env: io.env }, refusal);
  try {
    return await use(runtime);
  } finally {
    await runtime.stop();
  }
}
