// Opens the live screen for a command that follows something. It is imported on demand: most commands only print.

import type { Invocation } from "../invocation.ts";

/** Keeps the plain screen if nothing can be redrawn, or if a program reads the output. */
export async function withLiveScreen<T>(
  invocation: Invocation,
  use: (invocation: Invocation) => Promise<T>,
): Promise<T> {
  const { io, json, screen } = invocation;
  if (json || !screen.rich) return use(invocation);
  const { openLiveScreen } = await import("../view/live/live-screen.ts");
  const live = await openLiveScreen(screen, io.stdout);
  // Written directly, a line on stderr would land in the drawing and be erased with it.
  const stderr = io.stderr.isTTY ? { isTTY: true, write: live.screen.stream } : io.stderr;
  try {
    return await use({ ...invocation, io: { ...io, stderr }, screen: live.screen });
  } finally {
    live.close();
  }
}
