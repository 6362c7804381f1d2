// Numbers and times as words, the same everywhere.

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60)
    return seconds % 60 < 0.5 ? `${minutes} min` : `${minutes} min ${Math.round(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Of what is not over yet: whole seconds. */
export function soFar(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1_000);
  return seconds < 60 ? `${seconds} s` : duration(seconds * 1_000);
}

/** The same where there is little room: in its largest unit. */
export function roughly(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return soFar(ms);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}

export function count(value: number): string {
  if (value < 1_000) return String(value);
  if (value < 1_000_000) return `${(value / 1_000).toFixed(value < 10_000 ? 1 : 0)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
}

/** `unpriced`: calls whose price nobody knows; then it is at least this. */
export function money(dollars: number, unpriced = 0): string {
  const digits = dollars !== 0 && dollars < 0.01 ? 4 : 2;
  return `${unpriced > 0 ? "≥ " : ""}$${dollars.toFixed(digits)}`;
}

// Made once: to make one takes longer than to write a hundred times with it.
const CLOCK = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

export const clockTime = (ts: number): string => CLOCK.format(ts);

export const fullTime = (ts: number): string => FULL.format(ts);

export function ago(ts: number, now: number): string {
  const seconds = Math.max(0, (now - ts) / 1_000);
  if (seconds < 60) return "just now";
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`;
  return new Date(ts).toLocaleDateString();
}

export const plural = (amount: number, word: string): string => `${amount} ${word}${amount === 1 ? "" : "s"}`;
