const DAY = 86_400_000;

/** A stretch of time by its beginning, as fine as it is long. */
export function timeWords(from: number, every: number): string {
  const day = { month: "short", day: "numeric" } as const;
  if (every >= DAY) return new Date(from).toLocaleDateString(undefined, { weekday: "short", ...day });
  return new Date(from).toLocaleString(undefined, { ...day, hour: "2-digit", minute: "2-digit" });
}

/** As short as an axis needs it. */
export function axisWords(time: number, every: number): string {
  const date = new Date(time);
  if (every >= DAY / 4) return date.toLocaleDateString(undefined, { month: "short", day: "numeric" });
  return date.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
}
