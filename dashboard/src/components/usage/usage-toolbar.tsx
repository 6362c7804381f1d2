import { Link } from "@tanstack/react-router";
import { X } from "lucide-react";
import { useState } from "react";
import { IconButton } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Form, Input } from "../../ui/input.tsx";
import { RANGE_WORDS, RANGES, type Range } from "./usage-range.ts";

export interface UsageToolbarProps {
  range: Range;
  root: string | undefined;
  onRoot(root: string | undefined): void;
}

export function UsageToolbar({ range, root, onRoot }: UsageToolbarProps) {
  const [text, setText] = useState(root ?? "");
  return (
    <>
      <nav aria-label="Time range" className="flex rounded-md border border-line bg-surface p-0.5">
        {RANGES.map((each) => (
          <Link
            key={each}
            from="/usage"
            to="/usage"
            search={(now) => ({ ...now, range: each })}
            aria-current={each === range ? "true" : undefined}
            className={classNames(
              "inline-flex h-9 items-center rounded px-2.5 text-sm md:h-7",
              each === range ? "bg-accent-soft font-medium text-accent" : "text-muted hover:text-ink",
            )}
          >
            {RANGE_WORDS[each]}
          </Link>
        ))}
      </nav>
      <Form className="flex items-center gap-1" onSubmit={() => onRoot(text.trim() || undefined)}>
        <Input
          aria-label="Only this run and the runs below it"
          placeholder="Filter by run id…"
          value={text}
          onChange={({ target }) => setText(target.value)}
          className="h-10 w-52 font-mono text-xs md:h-8"
        />
        {root !== undefined && (
          <IconButton
            icon={X}
            label="Show all runs"
            onClick={() => {
              setText("");
              onRoot(undefined);
            }}
          />
        )}
      </Form>
    </>
  );
}
