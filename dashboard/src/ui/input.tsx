import type { ComponentProps } from "react";
import { classNames } from "./class-names.ts";

const FIELD =
  "rounded-md border border-edge bg-surface px-2.5 text-sm text-ink placeholder:text-muted aria-invalid:border-bad";

export function Input({ className, ...rest }: ComponentProps<"input">) {
  return <input className={classNames(FIELD, "h-8", className)} {...rest} />;
}

export function TextArea({ className, ...rest }: ComponentProps<"textarea">) {
  return <textarea className={classNames(FIELD, "py-1.5", className)} {...rest} />;
}

export function Select({ className, ...rest }: ComponentProps<"select">) {
  return <select className={classNames(FIELD, "h-8 pr-1", className)} {...rest} />;
}
