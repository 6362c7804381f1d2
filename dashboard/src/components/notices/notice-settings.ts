// U32: when this browser is allowed to notify the user. The browser stores these settings.

import { useLocalStorage, writeLocalStorage } from "../../ui/local-storage.ts";

export interface NoticeSettings {
  /** Whether to show desktop notifications, if the browser allows them. */
  needsYou: boolean;
  done: boolean;
  /** Whether to play a short sound, even while the page is visible. */
  soundNeedsYou: boolean;
  soundDone: boolean;
  /** True if quiet hours are on. They last from `from` until `to`, which are times such as "22:00". */
  quiet: boolean;
  from: string;
  to: string;
}

export const DEFAULT_SETTINGS: NoticeSettings = {
  needsYou: false,
  done: false,
  soundNeedsYou: false,
  soundDone: false,
  quiet: false,
  from: "22:00",
  to: "07:00",
};

const KEY = "cadre.notices";

export const readNoticeSettings = (): NoticeSettings => parseSettings(localStorage.getItem(KEY));

export function updateNoticeSettings(change: Partial<NoticeSettings>): void {
  writeLocalStorage(KEY, JSON.stringify({ ...readNoticeSettings(), ...change }));
}

export const useNoticeSettings = (): NoticeSettings => parseSettings(useLocalStorage(KEY)[0] ?? null);

/** Ignores values that Cadre did not write. */
export function parseSettings(text: string | null): NoticeSettings {
  try {
    const stored = JSON.parse(text ?? "{}") as Record<string, unknown>;
    const isValid = (name: string, value: unknown): boolean =>
      name === "from" || name === "to" ? /^\d\d:\d\d$/.test(String(value)) : typeof value === "boolean";
    const valid = Object.keys(DEFAULT_SETTINGS).filter((name) => isValid(name, stored[name]));
    return { ...DEFAULT_SETTINGS, ...Object.fromEntries(valid.map((name) => [name, stored[name]])) };
  } catch {
    return DEFAULT_SETTINGS;
  }
}

/** Whether a moment is in the quiet hours. Quiet hours can span midnight. */
export function isQuietAt({ quiet, from, to }: NoticeSettings, now: Date): boolean {
  if (!quiet) return false;
  const time = `${String(now.getHours()).padStart(2, "0")}:${String(now.getMinutes()).padStart(2, "0")}`;
  return from <= to ? time >= from && time < to : time >= from || time < to;
}

/** The time when the current quiet hours end. */
export function quietHoursEnd({ to }: NoticeSettings, now: Date): Date {
  const [hours, minutes] = to.split(":").map(Number);
  const end = new Date(now);
  end.setHours(hours!, minutes, 0, 0);
  if (end <= now) end.setDate(end.getDate() + 1);
  return end;
}
