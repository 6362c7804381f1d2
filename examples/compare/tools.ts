// The effects of the tools, the same as in the programs of bench/side-by-side.

import { appendFileSync, existsSync, readFileSync } from "node:fs";

export function readWeather(city: string): string {
  note("weather.log", city);
  return `${city}: 7 degrees`;
}

export function payBack(order: string, cents: number, key: string): { refunded: number } {
  note("refunds.log", `${order} ${cents} ${key}`);
  return { refunded: cents };
}

export const isPaidBack = (key: string): boolean => linesOf("refunds.log").some((line) => line.endsWith(key));

/** Writes a line into a file. With KILL=refunds.log:1, the process dies right after line 1, before Cadre can record the effect. */
export function note(file: string, line: string): void {
  appendFileSync(file, `${line}\n`);
  if (process.env["KILL"] === `${file}:${linesOf(file).length}`) process.kill(process.pid, "SIGKILL");
}

const linesOf = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
