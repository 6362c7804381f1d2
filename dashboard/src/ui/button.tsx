import type { LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { classNames } from "./class-names.ts";

const LOOKS = {
  plain: "border border-line bg-surface text-ink hover:bg-raised",
  main: "border border-transparent bg-[light-dark(#4338ca,#5b54e8)] text-white hover:bg-[light-dark(#372fa8,#4f47dd)]",
  danger: "border border-bad bg-surface text-bad hover:bg-bad-soft",
  quiet: "border border-transparent text-muted hover:bg-raised hover:text-ink",
} as const;

export interface ButtonProps extends ComponentProps<"button"> {
  look?: keyof typeof LOOKS;
  size?: "small" | "medium" | "large";
}

const SIZES = {
  small: "h-7 gap-1 px-2 text-xs",
  medium: "h-8 gap-1.5 px-3 text-sm",
  large: "h-11 gap-2 px-4 text-base",
};

export function Button({ look = "plain", size = "medium", className, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={classNames(
        "inline-flex shrink-0 select-none items-center justify-center whitespace-nowrap rounded-md font-medium disabled:opacity-50",
        LOOKS[look],
        SIZES[size],
        className,
      )}
      {...rest}
    />
  );
}

interface IconButtonProps extends Omit<ButtonProps, "children"> {
  icon: LucideIcon;
  label: string;
}

/** A button that shows only an icon. Its label is for screen readers. */
export function IconButton({ icon: Icon, label, className, ...rest }: IconButtonProps) {
  return (
    <Button
      look="quiet"
      size="small"
      aria-label={label}
      className={classNames("max-md:h-10 max-md:min-w-10", className)}
      {...rest}
    >
      <Icon size={14} aria-hidden />
    </Button>
  );
}
