import { Check } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button } from "./button.tsx";

export interface CopyButtonProps {
  text: string;
  /** What is copied, for who cannot see it. */
  label: string;
  icon: ReactNode;
  children?: ReactNode;
}

/** Copies what is not shown. */
export function CopyButton({ text, label, icon, children }: CopyButtonProps) {
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
      onClick={() => void copy()}
    >
      {copied ? <Check size={12} /> : icon}
      {children}
    </Button>
  );
}
