// How a run and its descendants used the providers' prompt caches.

import { CacheLedger, cacheLedger } from "../../projections/usage/cache-ledger.ts";
import type { ApiParts } from "../parts.ts";
import { findRun, subtreeOf, unlessDamaged } from "../views/read-runs.ts";
import { route } from "./route.ts";
import { namedObject } from "./schemas.ts";

export const CacheView = namedObject("CacheView", CacheLedger.shape);

export const cacheRoutes = ({ store }: ApiParts) => [
  route.get(
    "/api/runs/{id}/cache",
    {
      summary:
        "How a run and its descendants used the prompt cache: tokens read, written and uncached, and what broke the prefix",
      answer: CacheView,
    },
    async ({ params: { id } }) => {
      const rows = await subtreeOf(store, await findRun(store, id));
      const journals = rows.map((row) =>
        unlessDamaged(
          () => store.journal.read(row.id),
          () => [],
        ),
      );
      return cacheLedger(await Promise.all(journals));
    },
  ),
];
