// The API client for the server of this page, authenticated by the browser's cookie and page key.

import { createClient } from "../../../src/api/client/client.ts";
import { fetchWithKey } from "./page-key.ts";

export const client = createClient({
  fetch: fetchWithKey,
  // Tests load this module without a browser, so `location` can be undefined.
  baseUrl: globalThis.location?.origin ?? "",
});
