import { Brain } from "lucide-react";
import { useState } from "react";
import { Markdown } from "../../display/markdown/markdown.tsx";

/** The model's reasoning before its answer; collapsed at first. */
export function Reasoning({ text, isLive = false }: { text: string; isLive?: boolean }) {
  const [open, setOpen] = useState(false);
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="flex cursor-pointer list-none items-center gap-1.5 rounded text-muted text-xs hover:text-ink max-md:min-h-10">
        <Brain size={13} aria-hidden />
        {isLive ? "Thinking…" : "Reasoning"}
      </summary>
      {open && (
        <div className="border-line border-l-2 py-1 pl-3 text-muted text-sm">
          <Markdown text={text} />
        </div>
      )}
    </details>
  );
}
