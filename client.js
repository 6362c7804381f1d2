// What `import … from "cadre/client"` finds in Node. Browsers get dist/client.js.

import { load } from "./load.js";

export const { CadreError, createClient, isUnreachable } = load("client");
