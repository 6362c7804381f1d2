// The effects of the tools, the same as in the programs of bench/side-by-side.

import { appendFileSync } from "node:fs";

export const readWeather = (city: string): string => `${city}: 7 degrees`;

/** Writes the refund into a file. With KILL=1, the process dies right after the effect, before Cadre can record it. */
export function payBack(order: string, cents: number): { refunded: number } {
  appendFileSync("refunds.log", `${order} ${cents}\n`);
  if (process.env["KILL"] === "1") process.kill(process.pid, "SIGKILL");
  return { refunded: cents };
}
