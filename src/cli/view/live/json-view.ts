// The view of a tree for programs: each event as one line of JSON, as the API returns it. Nothing is streamed or redrawn.

import { jsonLine } from "../text/plain.ts";
import { createLiveTree } from "./live-tree.ts";
import type { LiveView } from "./live-view.ts";

export function createJsonView(print: (line: string) => void): LiveView {
  const tree = createLiveTree();
  return {
    tree,
    event(event) {
      tree.apply(event);
      print(jsonLine(event));
    },
    delta() {},
    tick() {},
    clear() {},
    drawing: () => [],
    lastWords: () => "",
  };
}
