import { ChevronDown, ChevronUp, Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { IconButton } from "../../ui/button.tsx";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { Input } from "../../ui/input.tsx";

export interface SearchBarProps {
  q: string;
  total: number;
  place: number;
  onChange(q: string): void;
  onStep(way: 1 | -1): void;
}

/** U12: searches the tree. `/` focuses the field; `n` and `N` step through the matches. */
export function SearchBar({ q, total, place, onChange, onStep }: SearchBarProps) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(q);
  useEffect(() => setText(q), [q]);
  useHotkeys([
    { keys: "/", label: "Find in this tree", run: () => input.current?.focus() },
    { keys: "n", label: "Next match", run: () => onStep(1) },
    { keys: "N", label: "Previous match", run: () => onStep(-1) },
  ]);
  const change = (next: string) => {
    setText(next);
    onChange(next);
  };
  return (
    <search className="flex min-w-24 max-w-72 flex-1 items-center gap-1">
      <span className="relative min-w-0 flex-1">
        <Search size={13} aria-hidden className="absolute top-1/2 left-2 -translate-y-1/2 text-muted" />
        <Input
          ref={input}
          type="search"
          aria-label="Find in this tree"
          placeholder="Find  /"
          className="h-10 w-full pl-7 md:h-7"
          value={text}
          onChange={(event) => change(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") onStep(event.shiftKey ? -1 : 1);
            if (event.key !== "Escape") return;
            change("");
            input.current?.blur();
          }}
        />
      </span>
      {q !== "" && (
        <>
          <span role="status" className="whitespace-nowrap text-muted text-xs tabular-nums">
            {total === 0 ? "none" : place === 0 ? `${total} found` : `${place} of ${total}`}
          </span>
          <IconButton icon={ChevronUp} label="Previous match" onClick={() => onStep(-1)} />
          <IconButton icon={ChevronDown} label="Next match" onClick={() => onStep(1)} />
        </>
      )}
    </search>
  );
}
