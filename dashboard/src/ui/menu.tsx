import { DropdownMenu as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

export function Menu({ trigger, children }: { trigger: ReactNode; children: ReactNode }) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align="end"
          sideOffset={4}
          className="z-50 min-w-44 rounded-md border border-line bg-surface p-1 shadow-xl"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export interface MenuItemProps {
  onSelect(): void;
  disabled?: boolean;
  danger?: boolean;
  children: ReactNode;
}

export function MenuItem({ danger, children, ...rest }: MenuItemProps) {
  return (
    <Radix.Item
      className={classNames(
        "flex cursor-default select-none items-center gap-2 rounded px-2 py-1.5 text-sm outline-none data-[disabled]:opacity-50 data-[highlighted]:bg-raised",
        danger && "text-bad",
      )}
      {...rest}
    >
      {children}
    </Radix.Item>
  );
}
