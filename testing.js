// What `import … from "cadre/testing"` finds.

import { load } from "./load.js";

export const { createTestCadre, effectLog, killAtEveryEvent, scriptedModel } = load("testing");
