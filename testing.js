// What `import … from "cadre/testing"` finds, like index.js.

import { existsSync } from "node:fs";

const sources = existsSync(new URL("./src/testing.ts", import.meta.url));

export const { scriptedModel } = await import(sources ? "./src/testing.ts" : "./dist/testing.js");
