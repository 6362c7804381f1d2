/** What can be told about a run beside what it said. */
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
