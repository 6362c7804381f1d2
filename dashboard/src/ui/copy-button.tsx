import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { Button } from "./button.tsx";

export interface CopyButtonProps {
  text: string;
  label: string;
  className?: string;
}

export function CopyButton({ text, label, className }: CopyButtonProps) {
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
      aria-label={label}
      title={label}
      className={className}
      onClick={() => void copy()}
    >
      {copied ? <Check size={13} /> : <Copy size={13} />}
    </Button>
  );
}
