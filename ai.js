// What `import … from "cadre/ai"` finds.

import { load } from "./load.js";

export const { answerApprovals, uiChunks, uiResponse } = load("ai");
