// The theme is light, dark, or the system's choice. This browser stores it; the colours follow `color-scheme` (app.css).

import { useLocalStorage, writeLocalStorage } from "./local-storage.ts";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "cadre.theme";

export function applyTheme(): void {
  document.documentElement.dataset["theme"] = parseTheme(localStorage.getItem(KEY));
}

export function chooseTheme(theme: Theme): void {
  writeLocalStorage(KEY, theme);
  applyTheme();
}

export const useTheme = (): Theme => parseTheme(useLocalStorage(KEY)[0]);

const parseTheme = (text: string | null | undefined): Theme =>
  THEMES.find((theme) => theme === text) ?? "system";
