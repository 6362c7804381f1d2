// The live screen for a command that stays with something. It is loaded here and not before: most commands only print.

import type { Invocation } from "../invocation.ts";

/** Where nothing can be drawn anew, or a program reads along, the screen stays what it is. */
export async function withLiveScreen<T>(
  invocation: Invocation,
  use: (invocation: Invocation) => Promise<T>,
): Promise<T> {
  const { io, json, screen } = invocation;
  if (json || !screen.rich) return use(invocation);
  const { openLiveScreen } = await import("../view/live/live-screen.ts");
  const live = await openLiveScreen(screen, io.stdout);
  // Written beside it, a line would stand in the middle of what is drawn, and be erased with it.
  const stderr = io.stderr.isTTY ? { isTTY: true, write: live.screen.stream } : io.stderr;
  try {
    return await use({ ...invocation, io: { ...io, stderr }, screen: live.screen });
  } finally {
    live.close();
  }
}
