// Opens the screen and the view of a command that follows a run. The live screen is imported on demand, because most commands only print.

import { omitUndefined } from "../../omit-undefined.ts";
import type { Invocation } from "../invocation.ts";
import { defaultPreset } from "../project.ts";
import type { LiveScreen } from "../view/live/live-screen.ts";
import {
  createJsonView,
  createLiveView,
  type LiveView,
  type LiveViewOptions,
} from "../view/live/live-view.ts";

/** Opens the live screen. Keeps the plain screen if the terminal cannot be redrawn or a program reads the output. */
export async function withLiveScreen<T>(
  invocation: Invocation,
  use: (invocation: Invocation, live?: LiveScreen) => Promise<T>,
): Promise<T> {
  const { io, json, screen } = invocation;
  if (json || !screen.rich) return use(invocation);
  const { openLiveScreen } = await import("../view/live/live-screen.ts");
  const live = await openLiveScreen(screen, io.stdout, io.stdin);
  // Text written directly to stderr would be erased together with the drawing.
  const stderr = io.stderr.isTTY ? { isTTY: true, write: live.screen.stream } : io.stderr;
  try {
    return await use({ ...invocation, io: { ...io, stderr }, screen: live.screen }, live);
  } finally {
    live.close();
  }
}

/** Creates the view of a followed run: for people, or as JSON for programs. */
export function createView(
  invocation: Invocation,
  style: LiveViewOptions["style"],
  named?: Set<string>,
): LiveView {
  const { json, screen } = invocation;
  if (json) return createJsonView((line) => screen.line(line));
  return createLiveView(screen, { style, preset: defaultPreset(invocation), ...omitUndefined({ named }) });
}
