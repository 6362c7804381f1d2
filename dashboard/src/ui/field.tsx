import { type ReactNode, useId } from "react";
import { classNames } from "./class-names.ts";

/** A label above its control; the control takes the id. */
export function Field({ label, quiet, children }: FieldProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className={classNames(quiet ? "text-muted" : "font-medium")}>
        {label}
      </label>
      {children(id)}
    </div>
  );
}

interface FieldProps {
  label: ReactNode;
  quiet?: boolean;
  children(id: string): ReactNode;
}
