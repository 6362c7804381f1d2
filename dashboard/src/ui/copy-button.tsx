import { Check, Copy } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button } from "./button.tsx";

const COPIED_MS = 1_500;

export interface CopyButtonProps {
  text: string;
  label: string;
  icon?: ReactNode;
  className?: string | undefined;
  /** The text next to the icon. */
  children?: ReactNode;
}

/** Copies a text to the clipboard and shows a tick for a moment. */
export function CopyButton({ text, label, icon, className, children }: CopyButtonProps) {
  const { copied, copy } = useCopy(text);
  return (
    <Button
      look="quiet"
      size="small"
      aria-label={children ? undefined : label}
      title={label}
      className={className}
      onClick={copy}
    >
      {copied ? <Check size={13} /> : (icon ?? <Copy size={13} />)}
      {children}
    </Button>
  );
}

/** If `text` is a function, it is called only when the user copies. */
export function useCopy(text: string | (() => string)): { copied: boolean; copy(): void } {
  const [copied, setCopied] = useState(false);
  const write = async () => {
    await navigator.clipboard.writeText(typeof text === "string" ? text : text());
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  return { copied, copy: () => void write() };
}

interface CopyableProps {
  text: string;
  label?: string;
  /** Whether the text wraps over several lines. Otherwise it is cut off. */
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
