// The API: a table of routes. `now` is the clock, which tests can set.

import { serve } from "./http.js";
import { allOrders } from "./orders.js";

export function createApp({ now = Date.now } = {}) {
  return serve({
    "GET /healthz": () => ({ status: 200, body: { ok: true, time: new Date(now()).toISOString() } }),
    "GET /orders": () => ({ status: 200, body: allOrders() }),
  });
}
