import type { ClientForRequest } from "./as-sender.ts";
import type { Hub } from "./hub.ts";
import type { ApiParts } from "./parts.ts";

/** What routes are given beside it: one hub for all who watch. */
export interface RouteParts extends ApiParts {
  hub: Hub;
  /** Who acts, and through what. */
  by(request: Request): string;
  asSender: ClientForRequest;
}
