// Creates the view of a followed run: for people, or for programs.

import type { Invocation } from "../invocation.ts";
import { defaultPreset } from "../project.ts";
import { createJsonView } from "../view/live/json-view.ts";
import { createLiveView, type LiveView, type LiveViewOptions } from "../view/live/live-view.ts";

export function createView(invocation: Invocation, style: LiveViewOptions["style"]): LiveView {
  const { json, screen } = invocation;
  if (json) return createJsonView((line) => screen.line(line));
  return createLiveView(screen, { style, preset: defaultPreset(invocation) });
}
