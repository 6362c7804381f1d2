import { createContext, type ReactNode, useId } from "react";

/** The id for the control inside a `Field`. */
export const FieldId = createContext<string | undefined>(undefined);

export interface FieldProps {
  label: ReactNode;
  quiet?: boolean | undefined;
  /** The control, or a function that receives the control's id and returns the control. */
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
