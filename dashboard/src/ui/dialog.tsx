import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

export interface DialogProps {
  open: boolean;
  onOpenChange(open: boolean): void;
  title: string;
  /** A sentence that is shown below the title. */
  description?: string;
  /** Hides the title on screen. Screen readers still read it. */
  bare?: boolean;
  wide?: boolean;
  children: ReactNode;
}

export function Dialog({ open, onOpenChange, title, description, bare, wide, children }: DialogProps) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/50" />
        <Radix.Content
          {...(description === undefined ? { "aria-describedby": undefined } : {})}
          className={classNames(
            "fixed top-[10vh] left-1/2 z-50 flex max-h-[80vh] w-[calc(100vw-2rem)] -translate-x-1/2 flex-col overflow-hidden rounded-lg border border-line bg-surface shadow-2xl outline-none",
            wide ? "max-w-4xl" : "max-w-lg",
          )}
        >
          <Radix.Title className={bare ? "sr-only" : "px-4 pt-4 font-semibold text-lg"}>{title}</Radix.Title>
          {description !== undefined && (
            <Radix.Description className="px-4 pt-1 text-muted text-sm">{description}</Radix.Description>
          )}
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
