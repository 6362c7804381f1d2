// U30: the keyboard shortcuts of the current page.

import { Fragment } from "react";
import { Dialog } from "../../ui/dialog.tsx";
import { boundHotkeys } from "../../ui/hotkeys.ts";
import { Kbd } from "../../ui/kbd.tsx";

export function HelpDialog({ onClose }: { onClose(): void }) {
  const isMac = navigator.platform.startsWith("Mac");
  const hotkeys = [...boundHotkeys()].toSorted((left, right) => rank(left.keys) - rank(right.keys));
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title="Keyboard shortcuts"
      description="These shortcuts work on this page."
    >
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-1.5 overflow-auto p-4 text-sm">
        {hotkeys.map(({ keys, label }) => (
          <Fragment key={keys}>
            <dt className="flex gap-1">
              {formatKeys(keys, isMac).map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd>{label}</dd>
          </Fragment>
        ))}
        <dt>
          <Kbd>Esc</Kbd>
        </dt>
        <dd>Close</dd>
      </dl>
    </Dialog>
  );
}

/** The page's own shortcuts come first, then navigation, then global shortcuts. */
const rank = (keys: string): number => (keys.startsWith("g ") ? 1 : keys.length > 1 || keys === "?" ? 2 : 0);

/** Formats keys as they are printed on a keyboard: `mod+k` is shown as ⌘ K or Ctrl K. */
const formatKeys = (keys: string, isMac: boolean): string[] =>
  keys
    .split(/[ +]/)
    .map((key) => (key === "mod" ? (isMac ? "⌘" : "Ctrl") : key.length === 1 ? key : (NAMES[key] ?? key)));

const NAMES: Record<string, string> = { Enter: "↵", Escape: "Esc", ArrowUp: "↑", ArrowDown: "↓" };
