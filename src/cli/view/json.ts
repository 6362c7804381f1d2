// A run for machines: each event as one line of JSON, as the API gives it. Nothing streams and nothing is rewritten.

import { applyRunState, emptyRunState } from "../../projections/run-state.ts";
import type { LiveView } from "./live.ts";
import { jsonLine } from "./plain.ts";

export function createJsonView(print: (line: string) => void): LiveView {
  const state = emptyRunState();
  return {
    state,
    event(event) {
      applyRunState(state, event);
      print(jsonLine(event));
    },
    delta() {},
    tick() {},
    rest() {},
    lastWords: () => "",
  };
}
