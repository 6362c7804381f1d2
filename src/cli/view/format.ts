// Numbers and times as people say them.

import { type RunUsage, totalTokens } from "../../projections/usage/run-usage.ts";

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.round((ms % 60_000) / 1_000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export const count = (number: number, one: string, many = `${one}s`): string =>
  `${grouped(number)} ${number === 1 ? one : many}`;

/** 1,234,567. The first `toLocaleString` of a process takes longer than all else that most commands print. */
const grouped = (whole: number): string => String(whole).replaceAll(/\B(?=(\d{3})+$)/g, ",");

/** A price that nobody knows is never shown as nothing. */
export function cost({ cost: known, unpriced }: RunUsage): string {
  if (unpriced === 0) return money(known);
  return known === 0
    ? "cost unknown"
    : `at least ${money(known)} (${count(unpriced, "call")} without a price)`;
}

/** `$?` where no price is known, `$1+` where some are not. */
export function shortCost({ cost: known, unpriced }: Pick<RunUsage, "cost" | "unpriced">): string {
  if (unpriced === 0) return money(known);
  return known === 0 ? "$?" : `${money(known)}+`;
}

/** 950, 1.2k, 34k, 5.6M. */
export function shortCount(number: number): string {
  if (number < 1_000) return String(number);
  const [value, unit] = number < 999_500 ? [number / 1_000, "k"] : [number / 1_000_000, "M"];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)}${unit}`;
}

export const tokens = (usage: RunUsage): string => count(totalTokens(usage), "token");

export const asSentence = (text: string): string => text.trim().replace(/[^.?!]$/, "$&.");

export function clockTime(ts: number): string {
  return new Date(ts).toTimeString().slice(0, 8);
}

export function ago(ts: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - ts) / 1_000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`;
  return `${count(Math.floor(seconds / 86_400), "day")} ago`;
}

export function money(dollars: number): string {
  if (dollars === 0) return "$0";
  return dollars < 0.01 ? `$${dollars.toFixed(4)}` : `$${dollars.toFixed(2)}`;
}

export function megabytes(bytes: number): string {
  if (bytes < 1_000) return count(bytes, "byte");
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
