// What `import … from "cadre"` finds. The names are those of src/index.ts; test/package.test.ts compares them.

import { load } from "./load.js";

export const {
  ask,
  CadreClosed,
  CadreError,
  createCadre,
  defineAgent,
  defineTool,
  delegate,
  parallel,
  prompt,
  RunFailed,
  run,
  sleep,
  tool,
  turn,
  turns,
} = load("index");
