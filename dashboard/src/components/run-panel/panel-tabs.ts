/** The tabs of the details panel. */
export const PANEL_TABS = [
  "result",
  "sources",
  "files",
  "usage",
  "budget",
  "tools",
  "prompt",
  "todos",
  "raw",
] as const;
export type PanelTab = (typeof PANEL_TABS)[number];
