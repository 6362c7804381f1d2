import { Columns3 } from "lucide-react";
import { useRef, useState } from "react";
import { IconButton } from "../../ui/button.tsx";
import { COLUMNS, type Column, type ColumnName } from "./columns.ts";

export interface ColumnMenuProps {
  shown: readonly Column[];
  onToggle(name: ColumnName, isShown: boolean): void;
}

/** Shows and hides columns. It stays open until the focus leaves it, and needs no menu library, because the first page must be small. */
export function ColumnMenu({ shown, onToggle }: ColumnMenuProps) {
  const [isOpen, setOpen] = useState(false);
  const frame = useRef<HTMLFieldSetElement>(null);
  return (
    <fieldset
      ref={frame}
      aria-label="Columns"
      className="relative ml-auto max-md:hidden"
      onBlur={({ relatedTarget }) => frame.current?.contains(relatedTarget) || setOpen(false)}
      onKeyDown={({ key }) => {
        if (key !== "Escape") return;
        setOpen(false);
        frame.current?.querySelector("button")?.focus();
      }}
    >
      <IconButton
        icon={Columns3}
        label="Choose columns"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      />
      {isOpen && (
        <div
          tabIndex={-1}
          className="absolute top-full right-0 z-30 mt-1 w-40 rounded-md border border-line bg-surface p-1 text-sm shadow-xl outline-none"
        >
          {COLUMNS.filter(({ name }) => name !== "task").map(({ name, label }) => (
            <label
              key={name}
              className="flex min-h-8 cursor-pointer items-center gap-2 rounded px-2 hover:bg-raised"
            >
              <input
                type="checkbox"
                className="size-3.5 accent-accent"
                checked={shown.some((column) => column.name === name)}
                onChange={({ target }) => onToggle(name, target.checked)}
              />
              {label}
            </label>
          ))}
        </div>
      )}
    </fieldset>
  );
}
