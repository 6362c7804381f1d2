/** Keys as they stand on a keyboard: `mod+k` is ⌘ K or Ctrl K. */
export const formatKeys = (keys: string, isMac: boolean): string[] =>
  keys
    .split(/[ +]/)
    .map((key) => (key === "mod" ? (isMac ? "⌘" : "Ctrl") : key.length === 1 ? key : (NAMES[key] ?? key)));

const NAMES: Record<string, string> = { Enter: "↵", Escape: "Esc", ArrowUp: "↑", ArrowDown: "↓" };
