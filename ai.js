// What `import … from "cadre/ai"` finds, like index.js.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";

const sources = existsSync(new URL("./src/ai.ts", import.meta.url));

export const { answerApprovals, uiChunks, uiResponse } = createRequire(import.meta.url)(
  sources ? "./src/ai.ts" : "./dist/ai.js",
);
