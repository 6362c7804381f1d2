import type { ReactNode } from "react";
import { ConnectionBadge } from "./connection-badge.tsx";

/** The header of a page: title and actions. On a phone it also has the connection badge. */
export function PageHeader({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <header className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-line border-b bg-surface px-4 py-2">
      <h1 className="font-semibold text-lg">{title}</h1>
      <span className="ml-auto md:hidden">
        <ConnectionBadge />
      </span>
      {children}
    </header>
  );
}
