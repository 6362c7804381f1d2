// What `import … from "cadre/ai"` finds, like index.js.

import { existsSync } from "node:fs";

const sources = existsSync(new URL("./src/ai.ts", import.meta.url));

export const { answerApprovals, uiChunks, uiResponse } = await import(
  sources ? "./src/ai.ts" : "./dist/ai.js"
);
