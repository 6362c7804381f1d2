import { type ReactNode, useState } from "react";

interface DetailsProps {
  summary: ReactNode;
  /** CSS classes of the summary line. */
  className: string;
  /** Whether the part starts expanded. */
  isOpen?: boolean;
  children(): ReactNode;
}

/** A collapsible part. Its content is rendered only while it is expanded. */
export function Details({ summary, className, isOpen = false, children }: DetailsProps) {
  const [open, setOpen] = useState(isOpen);
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={`cursor-pointer rounded ${className}`}>{summary}</summary>
      {open && children()}
    </details>
  );
}
