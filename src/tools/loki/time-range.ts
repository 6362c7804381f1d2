// Parses times as people and models write them: "last 15m", "2 hours ago", "now", or RFC 3339 with a time zone.
// The results are in nanoseconds, as in Loki.

import { z } from "zod";
import { systemClock } from "../../clock.ts";
import { parseDuration } from "../../config/duration.ts";

export interface TimeRange {
  /** Nanoseconds since 1970; `end` is exclusive. */
  start: bigint;
  end: bigint;
}

export type ParsedTimeRange = { ok: true; range: TimeRange } | { ok: false; why: string };

const DEFAULT_START = "1h";

/** `now` is in milliseconds since 1970. */
export function parseTimeRange(
  input: { start?: string | undefined; end?: string | undefined },
  now = systemClock.now(),
): ParsedTimeRange {
  const { start = DEFAULT_START, end = "now" } = input;
  const from = readTime(start, now);
  const to = readTime(end, now);
  for (const [name, text, time] of [
    ["start", start, from],
    ["end", end, to],
  ] as const) {
    if (time === undefined) return { ok: false, why: `${name}: "${text}" is no time: write ${TIME_FORMS}.` };
  }
  if (from! < to!) return { ok: true, range: { start: from!, end: to! } };
  const why = `start (${formatTime(from!)}) must be before end (${formatTime(to!)}); now it is ${formatTime(BigInt(now) * MS)}.`;
  return { ok: false, why };
}

/** Parses one time. `name` is the input that contains it. */
export function parseTime(
  name: string,
  text: string,
  now = systemClock.now(),
): { ok: true; ms: number } | { ok: false; why: string } {
  const time = readTime(text, now);
  if (time !== undefined) return { ok: true, ms: Number(time / MS) };
  return { ok: false, why: `${name}: "${text}" is no time: write ${TIME_FORMS}.` };
}

export const formatRange = ({ start, end }: TimeRange): string =>
  `${formatTime(start)} to ${formatTime(end)}`;

/** RFC 3339 in UTC, with as many fractional digits as needed. */
export function formatTime(ns: bigint): string {
  const whole = new Date(Number(ns / MS)).toISOString();
  const rest = ns % MS;
  return rest === 0n ? whole : `${whole.slice(0, -1)}${String(rest).padStart(6, "0").replace(/0+$/, "")}Z`;
}

export const TIME_FORMS = `how long ago ("15m", "last 2h", "3 days ago"), "now", or RFC 3339 with a time zone ("2026-01-31T14:00:00Z")`;

export const timeInput = {
  start: z.string().max(100).optional().describe(`Begin: ${TIME_FORMS}. 1h by default`),
  end: z.string().max(100).optional().describe("End, in the same forms. Now by default"),
};

const MS = 1_000_000n;
const RFC_3339 = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(?:\.(\d{1,9}))?\s*(Z|[+-]\d\d:\d\d)$/i;

function readTime(text: string, now: number): bigint | undefined {
  const words = text.trim().toLowerCase();
  if (words === "now") return BigInt(now) * MS;
  const exact = RFC_3339.exec(text.trim());
  if (exact) return exactTime(exact);
  const ago = agoOf(words);
  return ago === undefined || ago > now ? undefined : BigInt(now - ago) * MS;
}

function exactTime([, day, minute, second = ":00", fraction = "", zone]: RegExpExecArray):
  | bigint
  | undefined {
  const ms = Date.parse(`${day}T${minute}${second}${zone!.toUpperCase()}`);
  return Number.isNaN(ms) || ms < 0 ? undefined : BigInt(ms) * MS + BigInt(fraction.padEnd(9, "0"));
}

const UNIT_WORDS: readonly [RegExp, string][] = [
  [/(seconds?|secs?)\b/g, "s"],
  [/(minutes?|mins?)\b/g, "m"],
  [/(hours?|hrs?)\b/g, "h"],
  [/days?\b/g, "d"],
];

/** Parses a text such as "2 hours ago" and returns its distance from now in milliseconds. A number without a unit is refused. */
function agoOf(words: string): number | undefined {
  let text = words.replace(/^(in\s+)?(the\s+)?(last|past)\s+|^-/, "").replace(/\s+ago$/, "");
  for (const [word, unit] of UNIT_WORDS) text = text.replace(word, unit);
  text = text.replace(/(\d+)\s*(w|weeks?)\b/g, (_, count) => `${Number(count) * 7}d`);
  if (/^(an?\s+)?[smhd]$/.test(text)) text = `1${text.at(-1)}`;
  return /[a-z]/.test(text) ? parseDuration(text) : undefined;
}
