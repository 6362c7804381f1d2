/** The tabs of the details panel and their labels. */
export const PANEL_TABS = {
  result: "Result",
  sources: "Sources",
  files: "Files",
  usage: "Usage",
  prompt: "Context",
};
export type PanelTab = keyof typeof PANEL_TABS;
