import { Check, Copy } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button } from "./button.tsx";

export interface CopyButtonProps {
  text: string;
  label: string;
  icon?: ReactNode;
  className?: string;
  /** Stands beside the mark. */
  children?: ReactNode;
}

/** Copies what is not shown. */
export function CopyButton({ text, label, icon, className, children }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <Button
      look="quiet"
      size="small"
      aria-label={children ? undefined : label}
      title={label}
      className={className}
      onClick={() => void copy()}
    >
      {copied ? <Check size={13} /> : (icon ?? <Copy size={13} />)}
      {children}
    </Button>
  );
}
