// Short confirmations of what the user has just done, at the bottom of the page.

import { CircleCheck, TriangleAlert } from "lucide-react";
import { useEffect, useState } from "react";
import { VisibleText } from "../../display/visible-text.tsx";

interface Toast {
  text: string;
  isProblem: boolean;
}

const listeners = new Set<(toast: Toast) => void>();
const SHOWN_MS = 5_000;

/** Shows the text for a few seconds, on whatever page the user is. */
export function showToast(text: string, isProblem = false): void {
  for (const listener of listeners) listener({ text, isProblem });
}

export function Toasts() {
  const [shown, setShown] = useState<Toast>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (toast: Toast) => {
      clearTimeout(timer);
      setShown(toast);
      timer = setTimeout(() => setShown(undefined), SHOWN_MS);
    };
    listeners.add(show);
    return () => {
      listeners.delete(show);
      clearTimeout(timer);
    };
  }, []);
  const Icon = shown?.isProblem ? TriangleAlert : CircleCheck;
  return (
    <p
      role="status"
      aria-label="Confirmation"
      className="pointer-events-none fixed inset-x-0 bottom-16 z-40 flex justify-center px-4 md:bottom-6"
    >
      {shown && (
        <span className="flex max-w-lg items-center gap-2 rounded-md bg-ink px-3 py-2 text-canvas text-sm shadow-xl">
          <Icon size={15} aria-hidden className="shrink-0" />
          <VisibleText text={shown.text} className="truncate" />
        </span>
      )}
    </p>
  );
}
