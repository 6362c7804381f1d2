// The API of the server that this page came from; the browser's cookie opens its door.

import { createClient } from "../../../src/api/client/client.ts";

export const client = createClient({
  fetch: (url, init) => fetch(url, init),
  baseUrl: location.origin,
});
