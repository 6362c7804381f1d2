import { Tabs as Radix } from "radix-ui";
import { type ReactNode, useEffect, useRef } from "react";

export interface TabsProps<Value extends string> {
  value: Value;
  onChange(value: Value): void;
  label: string;
  tabs: readonly { value: Value; label: ReactNode }[];
  /** Content to the right of the tabs. */
  aside?: ReactNode;
  /** Content of the selected tab. */
  children: ReactNode;
}

export function Tabs<Value extends string>(props: TabsProps<Value>) {
  const { value, onChange, label, tabs, aside, children } = props;
  const list = useRef<HTMLDivElement>(null);
  // Scrolls to the selected tab. Otherwise a narrow list could hide it, and no tab would look selected.
  useEffect(() => {
    list.current
      ?.querySelector(`[data-tab="${value}"]`)
      ?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [value]);
  return (
    <Radix.Root
      value={value}
      onValueChange={(next) => onChange(next as Value)}
      className="flex min-h-0 flex-1 flex-col"
    >
      <div className="flex shrink-0 flex-wrap items-center gap-x-1 border-line border-b bg-surface">
        <Radix.List
          ref={list}
          aria-label={label}
          className="flex min-w-0 overflow-x-auto overflow-y-hidden px-1 sm:px-2 max-md:flex-1"
        >
          {tabs.map((tab) => (
            <Radix.Trigger
              key={tab.value}
              value={tab.value}
              data-tab={tab.value}
              className="-mb-px flex items-center -outline-offset-2 gap-1.5 whitespace-nowrap border-transparent border-b-2 px-1.5 py-2 text-muted sm:px-2.5 text-sm hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
            >
              {tab.label}
            </Radix.Trigger>
          ))}
        </Radix.List>
        {aside}
      </div>
      <Radix.Content value={value} className="flex min-h-0 flex-1 flex-col">
        {children}
      </Radix.Content>
    </Radix.Root>
  );
}
