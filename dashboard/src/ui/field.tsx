import { createContext, type ReactNode, useId } from "react";

/** The id that a control takes from the `Field` around it. */
export const FieldId = createContext<string | undefined>(undefined);

export interface FieldProps {
  label: ReactNode;
  quiet?: boolean | undefined;
  /** The control, or a function that gets the id for it. */
  children: ReactNode | ((id: string) => ReactNode);
}

/** A label above its control. */
export function Field({ label, quiet, children }: FieldProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className={quiet ? "text-muted" : "font-medium"}>
        {label}
      </label>
      <FieldId value={id}>{typeof children === "function" ? children(id) : children}</FieldId>
    </div>
  );
}
