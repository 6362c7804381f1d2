import { KeyRound } from "lucide-react";
import { VisibleText } from "./visible-text.tsx";

/** A permission rule, exactly as granted. */
export function GrantRule({ rule }: { rule: string }) {
  return (
    <code className="inline-flex max-w-full items-center gap-1 rounded bg-warn-soft px-1.5 py-0.5 font-mono text-warn text-xs">
      <KeyRound size={12} aria-hidden className="shrink-0" />
      <VisibleText text={rule} className="break-all" />
    </code>
  );
}
