import type { ReactNode } from "react";

/** An empty page. It explains what would appear here and how to create it. */
export function EmptyState({
  icon,
  title,
  children,
}: {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
}) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-3 px-6 py-16 text-center text-muted">
      {icon}
      <h2 className="font-semibold text-ink text-lg">{title}</h2>
      {children}
    </div>
  );
}
