import { CopyButton } from "./copy-button.tsx";

interface CopyableProps {
  text: string;
  label?: string;
  /** Breaks the text over several lines instead of cutting it off. */
  wraps?: boolean;
}

/** A command or an id in monospace, with a button that copies it. */
export function Copyable({ text, label = "Copy", wraps = false }: CopyableProps) {
  return (
    <span className="inline-flex max-w-full items-center gap-1 rounded-md border border-line bg-raised pl-2 font-mono text-xs">
      <span className={wraps ? "min-w-0 py-1 text-left [overflow-wrap:anywhere]" : "truncate"}>{text}</span>
      <CopyButton text={text} label={label} />
    </span>
  );
}
