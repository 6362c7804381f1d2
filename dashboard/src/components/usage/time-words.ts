const DAY = 86_400_000;

/** Names a time bucket by its start, as precisely as its length needs. */
export function timeWords(from: number, every: number): string {
  const day = { month: "short", day: "numeric" } as const;
  if (every >= DAY) return new Date(from).toLocaleDateString(undefined, { weekday: "short", ...day });
  return new Date(from).toLocaleString(undefined, { ...day, hour: "2-digit", minute: "2-digit" });
}

/** Short form for an axis. */
export function axisWords(time: number, every: number): string {
  const date = new Date(time);
  if (every >= DAY / 4) return date.toLocaleDateString(undefined, { month: "short", day: "numeric" });
  return date.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
}
