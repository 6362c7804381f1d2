// Parses and formats durations as people write them: "30m", "1h 30m", "90s", "250ms", or a bare number of milliseconds.

import { z } from "zod";

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The duration in milliseconds. Undefined if the text is not a duration. */
export function parseDuration(value: string | number): number | undefined {
  if (typeof value === "number") return whole(value);
  const text = value.trim();
  if (/^\d+$/.test(text)) return whole(Number(text));
  if (!/^(\d+(\.\d+)?\s*(ms|s|m|h|d)\s*)+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)/g)) {
    sum += Number(amount) * UNITS[unit!]!;
  }
  return whole(Math.round(sum));
}

/** Formats a duration exactly, in the largest possible units: 5400000 is "1h 30m". */
export function formatDuration(ms: number): string {
  const parts: string[] = [];
  let rest = Math.round(ms);
  for (const unit of ["d", "h", "m", "s", "ms"]) {
    const count = Math.floor(rest / UNITS[unit]!);
    if (count > 0) parts.push(`${count}${unit}`);
    rest -= count * UNITS[unit]!;
  }
  return parts.join(" ") || "0s";
}

export const Duration = z.union([z.string(), z.number()]).transform((value, context) => {
  const ms = parseDuration(value);
  if (ms !== undefined) return ms;
  context.addIssue({
    code: "custom",
    message: `"${value}" is no duration: write 30m, 90s or a number of milliseconds`,
  });
  return z.NEVER;
});

const whole = (ms: number): number | undefined => (Number.isSafeInteger(ms) && ms >= 0 ? ms : undefined);
