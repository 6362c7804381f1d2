// A menu that opens from a button, with keyboard support from Radix. It loads on the first click, and is then open: see `OnClick`.

import { Check } from "lucide-react";
import { DropdownMenu as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

export interface MenuProps {
  /** The button that opens the menu. */
  trigger: ReactNode;
  label: string;
  children: ReactNode;
}

export function Menu({ trigger, label, children }: MenuProps) {
  return (
    <Radix.Root modal={false} defaultOpen>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className="z-40 max-h-(--radix-dropdown-menu-content-available-height) min-w-44 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-md border border-line bg-surface p-1 text-sm shadow-xl"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

const ITEM =
  "flex min-h-10 cursor-pointer select-none items-center gap-2 rounded px-2 outline-none data-disabled:cursor-not-allowed data-highlighted:bg-raised data-disabled:opacity-50 md:min-h-8";

export interface MenuItemProps {
  icon?: ReactNode;
  /** The key that does the same. */
  keys?: string;
  /** Keeps the menu open, so that the item can show what it did. */
  staysOpen?: boolean;
  onSelect(): void;
  children: ReactNode;
}

export function MenuItem({ icon, keys, staysOpen = false, onSelect, children }: MenuItemProps) {
  return (
    <Radix.Item
      className={ITEM}
      onSelect={(event) => {
        if (staysOpen) event.preventDefault();
        onSelect();
      }}
    >
      <span className="flex w-4 shrink-0 justify-center text-muted">{icon}</span>
      {children}
      {keys !== undefined && <span className="ml-auto pl-4 font-mono text-2xs text-muted">{keys}</span>}
    </Radix.Item>
  );
}

export interface MenuCheckProps {
  checked: boolean;
  onChange(checked: boolean): void;
  children: ReactNode;
}

/** An item that is on or off. The menu stays open, so that the user can change several. */
export function MenuCheck({ checked, onChange, children }: MenuCheckProps) {
  return (
    <Radix.CheckboxItem
      checked={checked}
      onCheckedChange={onChange}
      onSelect={(event) => event.preventDefault()}
      className={classNames(ITEM, checked && "text-accent")}
    >
      <span className="flex w-4 shrink-0 justify-center">
        <Radix.ItemIndicator>
          <Check size={13} aria-hidden />
        </Radix.ItemIndicator>
      </span>
      {children}
    </Radix.CheckboxItem>
  );
}

export const MenuLine = () => <Radix.Separator className="my-1 h-px bg-line" />;
