// Keyboard shortcuts: one key (`j`) or two in a row (`g i`). Active shortcuts can be listed for the help dialog.
// Typing into a field never triggers a shortcut.
// A key pressed with Ctrl or ⌘ triggers only shortcuts with `mod`, such as `mod+k`. A key pressed with Alt triggers no shortcut.

import { useEffect, useRef } from "react";

export interface Hotkey {
  keys: string;
  label: string;
  run(): void;
}

const bound = new Set<readonly Hotkey[]>();
const PAUSE_MS = 1_000;
let begun: { key: string; at: number } | undefined;

/** Binds shortcuts while the component is mounted. If two bindings use the same key, the later binding wins. */
export function useHotkeys(hotkeys: readonly Hotkey[]): void {
  const latest = useRef(hotkeys);
  latest.current = hotkeys;
  const names = hotkeys.map(({ keys }) => keys).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: bound again only when the keys change
  useEffect(() => {
    const mine = latest.current.map(({ keys, label }, index) => ({
      keys,
      label,
      run: () => latest.current[index]?.run(),
    }));
    bound.add(mine);
    return () => {
      bound.delete(mine);
    };
  }, [names]);
}

export function boundHotkeys(): readonly Hotkey[] {
  return [...new Map([...bound].flat().map((hotkey) => [hotkey.keys, hotkey])).values()];
}

/** Starts listening for keys. The page calls this once. */
export function listenForHotkeys(): () => void {
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const mod = event.ctrlKey || event.metaKey;
  if (!mod && isTyping(event.target)) return;
  if (event.altKey) return;
  const key = mod ? `mod+${event.key.toLowerCase()}` : event.key;
  const sequence = begun && Date.now() - begun.at < PAUSE_MS ? `${begun.key} ${key}` : undefined;
  const hotkeys = boundHotkeys();
  const wanted = hotkeys.find(({ keys }) => keys === sequence) ?? hotkeys.find(({ keys }) => keys === key);
  begun = wanted ? undefined : { key, at: Date.now() };
  if (!wanted) return;
  event.preventDefault();
  wanted.run();
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
    // A checkbox is not a text field: users cannot type into it.
    !(target instanceof HTMLInputElement && target.type === "checkbox")
  );
}
