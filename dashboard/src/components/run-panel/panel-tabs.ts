/** The tabs of the details panel and their labels. */
export const PANEL_TABS = {
  result: "Result",
  sources: "Sources",
  files: "Files",
  usage: "Usage",
  budget: "Budget",
  tools: "Tools",
  prompt: "Prompt",
  todos: "To do",
  raw: "Events",
};
export type PanelTab = keyof typeof PANEL_TABS;
