// The live screen for a command that stays with something. It is loaded here and not before: most commands only print.

import type { Invocation } from "./io.ts";

/** Where nothing can be drawn anew, or a program reads along, the screen stays what it is. */
export async function withLiveScreen<T>(
  invocation: Invocation,
  use: (invocation: Invocation) => Promise<T>,
): Promise<T> {
  const { io, json, screen } = invocation;
  if (json || !screen.rich) return use(invocation);
  const { openLiveScreen } = await import("./view/live/live-screen.ts");
  const live = await openLiveScreen(screen, io.stdout);
  try {
    return await use({ ...invocation, screen: live.screen });
  } finally {
    live.close();
  }
}
