// The only source of randomness.

import { type Ids, idsFrom } from "./ids.ts";

export const systemIds: Ids = idsFrom((count) => crypto.getRandomValues(new Uint8Array(count)));
