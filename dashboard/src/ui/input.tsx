import { type ComponentProps, use } from "react";
import { classNames } from "./class-names.ts";
import { Field, FieldId, type FieldProps } from "./field.tsx";

const LOOK =
  "rounded-md border border-edge bg-surface px-2.5 text-sm text-ink placeholder:text-muted aria-invalid:border-bad";

export function Input({ className, ...rest }: ComponentProps<"input">) {
  return <input id={use(FieldId)} className={classNames(LOOK, "h-8", className)} {...rest} />;
}

export function TextArea({ className, ...rest }: ComponentProps<"textarea">) {
  return <textarea id={use(FieldId)} className={classNames(LOOK, "py-1.5", className)} {...rest} />;
}

export function Select({ className, ...rest }: ComponentProps<"select">) {
  return <select id={use(FieldId)} className={classNames(LOOK, "h-8 pr-1", className)} {...rest} />;
}

/** A form that calls `onSubmit` instead of loading a page. */
export function Form({ onSubmit, ...rest }: Omit<ComponentProps<"form">, "onSubmit"> & { onSubmit(): void }) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      {...rest}
    />
  );
}

interface TextProps extends Pick<FieldProps, "label" | "quiet"> {
  /** Called with the new text or with the chosen value. */
  onText(text: string): void;
}

export const InputField = ({ label, quiet, onText, ...rest }: TextProps & ComponentProps<"input">) => (
  <Field label={label} quiet={quiet}>
    <Input className="max-md:h-10" onChange={({ target }) => onText(target.value)} {...rest} />
  </Field>
);

/** A select field. Its children are the `<option>` elements. */
export const SelectField = ({ label, quiet, onText, ...rest }: TextProps & ComponentProps<"select">) => (
  <Field label={label} quiet={quiet}>
    <Select className="max-md:h-10" onChange={({ target }) => onText(target.value)} {...rest} />
  </Field>
);
