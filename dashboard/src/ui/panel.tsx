import type { ReactNode } from "react";

/** A bordered section with a title. */
export function Panel({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title} className="min-w-0 rounded-lg border border-line bg-surface">
      <header className="flex flex-wrap items-baseline gap-x-3 border-line border-b px-4 py-2">
        <h2 className="font-semibold text-sm">{title}</h2>
        {note !== undefined && <span className="text-muted text-xs">{note}</span>}
      </header>
      {children}
    </section>
  );
}
