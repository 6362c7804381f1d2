// What `import … from "cadre/testing"` finds, like index.js.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";

const sources = existsSync(new URL("./src/testing.ts", import.meta.url));

export const { createTestCadre, effectLog, killAtEveryEvent, scriptedModel } = createRequire(import.meta.url)(
  sources ? "./src/testing.ts" : "./dist/testing.js",
);
