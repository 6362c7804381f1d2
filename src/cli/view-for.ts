// What a command that follows a run shows of it: for people, or for programs.

import type { Invocation } from "./io.ts";
import { presetIn } from "./project.ts";
import { createJsonView } from "./view/json.ts";
import { createLiveView, type LiveView, type Watching } from "./view/live.ts";

export function viewFor(invocation: Invocation, style: Watching["style"]): LiveView {
  const { json, screen } = invocation;
  if (json) return createJsonView((line) => screen.line(line));
  return createLiveView(screen, { style, preset: presetIn(invocation) });
}
