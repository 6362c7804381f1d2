// The API client for the server of this page, authenticated by the browser's cookie.

import { createClient } from "../../../src/api/client/client.ts";

export const client = createClient({
  fetch: (url, init) => fetch(url, init),
  // Tests load this module without a browser, so `location` can be undefined.
  baseUrl: globalThis.location?.origin ?? "",
});
