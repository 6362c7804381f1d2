// What the tools do, so that the programs show only how each product calls them.

import { appendFileSync } from "node:fs";

export const readWeather = (city) => `${city}: 7 degrees`;

/** Writes the refund into a file. With KILL=1, the process dies right after the effect, before any product could record it. */
export function payBack(order, cents) {
  appendFileSync("refunds.log", `${order} ${cents}\n`);
  if (process.env.KILL === "1") process.kill(process.pid, "SIGKILL");
  return { refunded: cents };
}
