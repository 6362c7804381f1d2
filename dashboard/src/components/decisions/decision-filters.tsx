import { Link } from "@tanstack/react-router";
import { Inbox, X } from "lucide-react";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Form, Input, Select } from "../../ui/input.tsx";
import { DECISION_WORDS } from "./decision-words.ts";
import type { DecisionsSearch } from "./decisions-search.ts";

export interface DecisionFiltersProps {
  search: DecisionsSearch;
  onChange(next: Partial<Record<keyof DecisionsSearch, string>>): void;
  onClear(): void;
}

const CHIPS = { by: "by", tool: "tool", agent: "agent", rule: "rule" } as const;

/** The search, and a chip for each value that the user clicked in the table. */
export function DecisionFilters({ search, onChange, onClear }: DecisionFiltersProps) {
  const [text, setText] = useState(search.q ?? "");
  const chosen = (Object.keys(CHIPS) as (keyof typeof CHIPS)[]).filter((key) => search[key] !== undefined);
  const isFiltered = Object.keys(search).length > 0;
  return (
    <>
      <Form className="min-w-0 max-md:flex-1" onSubmit={() => onChange({ q: text.trim() })}>
        <Input
          type="search"
          aria-label="Search decisions"
          placeholder="Search calls, notes, answers…"
          maxLength={200}
          className="w-full max-md:h-10 md:w-64"
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            if (target.value === "") onChange({ q: "" });
          }}
        />
      </Form>
      <Select
        aria-label="Decision"
        className="max-md:h-10"
        value={search.decision ?? ""}
        onChange={({ target }) => onChange({ decision: target.value })}
      >
        <option value="">Any decision</option>
        {Object.entries(DECISION_WORDS).map(([decision, { word }]) => (
          <option key={decision} value={decision}>
            {word}
          </option>
        ))}
      </Select>
      {chosen.map((key) => (
        <Button
          key={key}
          size="small"
          className="max-w-64 border-accent! text-accent! max-md:h-10"
          aria-label={`Remove ${CHIPS[key]} ${search[key]}`}
          onClick={() => onChange({ [key]: "" })}
        >
          <span className="truncate">
            {CHIPS[key]} {search[key]}
          </span>
          <X size={12} aria-hidden />
        </Button>
      ))}
      {isFiltered && (
        <Button
          look="quiet"
          size="small"
          className="max-md:h-10"
          onClick={() => {
            setText("");
            onClear();
          }}
        >
          Clear
        </Button>
      )}
      <Link
        to="/inbox"
        className="ml-auto inline-flex min-h-10 items-center gap-1.5 text-accent text-sm hover:underline md:min-h-7"
      >
        <Inbox size={14} aria-hidden /> Inbox
      </Link>
    </>
  );
}
