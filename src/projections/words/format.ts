// Numbers, times and money as text, written the same way in the terminal and on the page.

import type { Budget } from "../../journal/events.ts";

/** A count with its noun: `1 run`, `1,234 runs`. */
export const plural = (amount: number, one: string, many = `${one}s`): string =>
  `${groupDigits(amount)} ${amount === 1 ? one : many}`;

/** A number with separators: `1,234,567`. The code does not use `toLocaleString`, because its first call in a process takes longer than most commands. */
export const groupDigits = (whole: number): string => String(whole).replaceAll(/\B(?=(\d{3})+$)/g, ",");

/** A short count: `950`, `1.2k`, `34k`, `5.6M`. */
export function shortCount(amount: number): string {
  if (amount < 1_000) return String(amount);
  const [value, unit] = amount < 999_500 ? [amount / 1_000, "k"] : [amount / 1_000_000, "M"];
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)}${unit}`;
}

/** A file size: `812 bytes`, `34 kB`, `5.6 MB`. */
export function fileSize(bytes: number): string {
  if (bytes < 1_000) return plural(bytes, "byte");
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** A duration: `90 ms`, `4.2 s`, `42 s`, `1 min 5 s`, `2 h 10 min`, `3 d 4 h`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  return ms < 9_950 ? `${(ms / 1_000).toFixed(1)} s` : wholeSeconds(Math.round(ms / 1_000));
}

/** The duration of something that is still under way. It is in whole seconds, because tenths would change too fast to read. */
export const elapsed = (ms: number): string => wholeSeconds(Math.floor(Math.max(0, ms) / 1_000));

/** A duration in its largest unit, for narrow columns: `17 min`. */
export function roughDuration(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return elapsed(ms);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}

function wholeSeconds(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** A past time, relative to now: `just now`, `40 s ago`, `5 min ago`, `2 h ago`, `3 days ago`. */
export function ago(ts: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - ts) / 1_000));
  if (seconds < 10) return "just now";
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`;
  return `${plural(Math.floor(seconds / 86_400), "day")} ago`;
}

/** Local time: `14:03:59`. */
export const clockTime = (ts: number): string => new Date(ts).toTimeString().slice(0, 8);

/** Local time: `14:03`. If the time is not on the day of `now`, the date is added. */
export function shortTime(ts: number, now: number): string {
  const [then, today] = [new Date(ts), new Date(now)];
  const time = then.toTimeString().slice(0, 5);
  return then.toDateString() === today.toDateString() ? time : `${isoDate(then)} ${time}`;
}

/** Local time: `2026-11-17 14:03:59`. */
export const fullTime = (ts: number): string => `${isoDate(new Date(ts))} ${clockTime(ts)}`;

const isoDate = (date: Date): string =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");

/**
 * An amount of dollars: `$0.00`, `$1.23`. An amount below a cent has four decimals: `$0.0012`.
 * `unpriced` is the number of calls without a known price. They are never shown as free: `$?`, `≥ $1.23`.
 */
export function money(dollars: number, unpriced = 0): string {
  if (unpriced > 0 && dollars === 0) return "$?";
  return `${unpriced > 0 ? "≥ " : ""}$${dollars.toFixed(dollars !== 0 && dollars < 0.01 ? 4 : 2)}`;
}

/** The cost of calls: dollars for calls with a known price, and the number of calls without one. */
export interface Cost {
  cost: number;
  unpriced: number;
}

/** The cost in a column: `$1.23`, `$?` or `≥ $1.23`. */
export const shortCost = ({ cost, unpriced }: Cost): string => money(cost, unpriced);

/** The cost in a sentence: `$1.23`, `cost unknown`, or `at least $1.23 (2 calls without a price)`. */
export function describeCost({ cost, unpriced }: Cost): string {
  if (unpriced === 0) return money(cost);
  return cost === 0
    ? "cost unknown"
    : `at least ${money(cost)} (${plural(unpriced, "call")} without a price)`;
}

/** Input and output tokens together: `23,456 tokens`. */
export const describeTokens = ({ input, output }: { input: number; output: number }): string =>
  plural(input + output, "token");

/** A budget: `$2.00 and 20,000 tokens`. Empty if the budget has no limits. */
export function describeBudget({ maxTokens, maxCost }: Budget): string {
  const dollars = maxCost === undefined ? [] : [money(maxCost)];
  const tokens = maxTokens === undefined ? [] : [`${groupDigits(maxTokens)} tokens`];
  return [...dollars, ...tokens].join(" and ");
}
