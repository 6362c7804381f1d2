import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { Button } from "./button.tsx";

interface CopyableProps {
  text: string;
  label?: string;
  /** Takes the lines that it needs, where its end matters as much as its beginning. */
  wraps?: boolean;
}

/** A line for the terminal, or an id, with a button that copies it. */
export function Copyable({ text, label = "Copy", wraps = false }: CopyableProps) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <span className="inline-flex max-w-full items-center gap-1 rounded-md border border-line bg-raised pl-2 font-mono text-xs">
      <span className={wraps ? "min-w-0 py-1 text-left [overflow-wrap:anywhere]" : "truncate"}>{text}</span>
      <Button look="quiet" size="small" aria-label={label} onClick={() => void copy()}>
        {copied ? <Check size={13} /> : <Copy size={13} />}
      </Button>
    </span>
  );
}
