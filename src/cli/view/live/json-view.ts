// A tree for machines: each event as one line of JSON, as the API gives it. Nothing streams and nothing is rewritten.

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
