// A17: shows untrusted text. Characters that hide or reverse text are spelled out and marked.

import { revealHidden } from "../../../src/journal/visible.ts";

export function VisibleText({ text, className }: { text: string; className?: string }) {
  const parts = revealHidden(text).split(/(⟦U\+[0-9A-F]{4,6}⟧)/);
  if (parts.length === 1) return <bdi className={className}>{text}</bdi>;
  let at = 0;
  return (
    <bdi className={className}>
      {parts.map((part) => {
        const key = at++;
        return key % 2 === 0 ? (
          part
        ) : (
          <mark key={key} className="rounded bg-bad-soft font-mono text-bad">
            {part}
          </mark>
        );
      })}
    </bdi>
  );
}
