// What `import … from "cadre"` finds: the sources where they are, as in a clone, and otherwise what was built from them.
// It uses `require`, so that CommonJS programs can load it: they cannot load a module that awaits.
// The names are those of src/index.ts; test/package.test.ts compares them.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";

const sources = existsSync(new URL("./src/index.ts", import.meta.url));

export const {
  ask,
  CadreClosed,
  createCadre,
  defineAgent,
  defineTool,
  delegate,
  parallel,
  prompt,
  RunFailed,
  sleep,
  tool,
  turn,
  turns,
} = createRequire(import.meta.url)(sources ? "./src/index.ts" : "./dist/index.js");
