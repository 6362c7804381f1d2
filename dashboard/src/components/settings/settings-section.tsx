import type { ReactNode } from "react";

/** One section of the settings page: title, explanation and controls. */
export function SettingsSection({
  title,
  text,
  children,
}: {
  title: string;
  text?: string;
  children: ReactNode;
}) {
  return (
    <section className="grid gap-3 border-line border-b py-6 last:border-b-0 md:grid-cols-[14rem_1fr] md:gap-8">
      <div>
        <h2 className="font-semibold">{title}</h2>
        {text !== undefined && <p className="mt-1 text-muted text-sm">{text}</p>}
      </div>
      <div className="flex min-w-0 flex-col items-start gap-3 text-sm">{children}</div>
    </section>
  );
}
