// Tells a request that is refused for good from one that may succeed later.

import { CadreError } from "../errors.ts";

/** Whether the request itself is refused, so that trying it again would be refused as well. */
export const isRefusal = (error: unknown): boolean => error instanceof CadreError && REFUSALS.has(error.code);

const REFUSALS: ReadonlySet<CadreError["code"]> = new Set([
  "AGENT_NOT_FOUND",
  "AGENT_INVALID",
  "BAD_REQUEST",
  "MODEL_UNKNOWN",
  "UNPROCESSABLE",
]);
