// What the tools do, so that the programs show only how each product calls them.

import { appendFileSync, readFileSync } from "node:fs";

export function readWeather(city) {
  note("weather.log", city);
  return `${city}: 7 degrees`;
}

export function payBack(order, cents) {
  note("refunds.log", `${order} ${cents}`);
  return { refunded: cents };
}

/** Writes a line into a file. With KILL=refunds.log:1, the process dies right after line 1, before any product could record the effect. */
export function note(file, line) {
  appendFileSync(file, `${line}\n`);
  const written = readFileSync(file, "utf8").split("\n").length - 1;
  if (process.env.KILL === `${file}:${written}`) process.kill(process.pid, "SIGKILL");
}
