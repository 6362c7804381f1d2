import type { ReactNode } from "react";

export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="flex flex-col gap-1.5">
      <h2 className="font-semibold text-muted text-xs">{title}</h2>
      {children}
    </section>
  );
}

/** A sentence in an empty tab that says why the tab is empty. */
export const EmptyTab = ({ children }: { children: ReactNode }) => (
  <p className="py-6 text-center text-muted text-sm">{children}</p>
);
