// U02: the controls for filtering the list of runs. The URL contains the filters, and each filter can be copied as a CLI command.

import { useQuery } from "@tanstack/react-query";
import { Bookmark, ListFilter, Search, Terminal, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { RUN_STATUSES, type RunStatus } from "../../../../src/journal/events.ts";
import { useCommand } from "../../display/command/command.tsx";
import { agentsQuery } from "../../live/queries.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { Form, Input, Select } from "../../ui/input.tsx";
import { useNarrow } from "../../ui/use-media.ts";
import { filterChips, type RunsSearch, SINCE_WORDS, type Since, showsAll, toCommand } from "./filter.ts";
import { useOwnViews } from "./own-views.ts";

export interface FilterBarProps {
  search: RunsSearch;
  onChange(search: RunsSearch): void;
}

export function FilterBar({ search, onChange }: FilterBarProps) {
  const change = (change: Partial<Record<keyof RunsSearch, unknown>>) =>
    onChange(withoutEmpty({ ...search, ...change }));
  const [isOpen, setOpen] = useState(false);
  const isNarrow = useNarrow();
  return (
    <search className="flex flex-wrap items-center gap-2">
      <SearchField value={search.q ?? ""} onChange={(q) => change({ q })} />
      {isNarrow && (
        <Button className="h-10" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <ListFilter size={14} aria-hidden /> Filters
        </Button>
      )}
      {(isOpen || !isNarrow) && <Choices search={search} change={change} />}
    </search>
  );
}

interface ChoicesProps {
  search: RunsSearch;
  change(change: Partial<Record<keyof RunsSearch, unknown>>): void;
}

function Choices({ search, change }: ChoicesProps) {
  const { status, agent } = search;
  return (
    <div className="flex flex-wrap items-center gap-2 max-md:basis-full">
      <Select
        aria-label="Status"
        className="max-md:h-10"
        value={status?.length === 1 ? status[0] : status ? "several" : ""}
        onChange={({ target }) => change({ status: target.value === "" ? "" : [target.value as RunStatus] })}
      >
        <option value="">Any status</option>
        {status && status.length > 1 && <option value="several">{status.join(", ")}</option>}
        {RUN_STATUSES.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </Select>
      <AgentChoice value={agent ?? ""} onChange={(next) => change({ agent: next })} />
      <Select
        aria-label="Started"
        className="max-md:h-10"
        value={search.since ?? ""}
        onChange={({ target }) => change({ since: target.value as Since })}
      >
        <option value="">Any time</option>
        {Object.entries(SINCE_WORDS).map(([since, words]) => (
          <option key={since} value={since}>
            {words}
          </option>
        ))}
      </Select>
      <label
        className="flex min-h-10 items-center gap-1.5 text-sm md:min-h-8"
        title="Like `cadre runs --all`"
      >
        <input
          type="checkbox"
          className="size-3.5 accent-accent"
          checked={showsAll(search)}
          disabled={search.q !== undefined || search.waiting !== undefined}
          onChange={({ target }) => change({ all: target.checked ? true : "" })}
        />{" "}
        Include child runs
      </label>
    </div>
  );
}

/** One chip for each active filter. */
export function FilterChips({ search, onChange }: FilterBarProps) {
  const chips = filterChips(search);
  const whole = useCommand();
  if (chips.length === 0) return null;
  const all = whole(toCommand(search));
  const without = (key: keyof RunsSearch): RunsSearch => withoutEmpty({ ...search, [key]: "" });
  return (
    <ul aria-label="Filters" className="flex flex-wrap items-center gap-1.5">
      {chips.map(({ key, label, command }) => (
        <li
          key={key}
          className="flex min-w-0 max-w-full items-center rounded-md bg-accent-soft text-accent text-xs"
        >
          <span className="truncate py-1 pl-2">{label}</span>
          <CopyButton
            text={whole(command)}
            label={`Copy as command: ${whole(command)}`}
            icon={<Terminal size={12} />}
          />
          <IconButton icon={X} label={`Remove ${label}`} onClick={() => onChange(without(key))} />
        </li>
      ))}
      {chips.length > 1 && (
        <li className="flex items-center">
          <CopyButton text={all} label={`Copy as command: ${all}`} icon={<Terminal size={12} />}>
            Copy as one command
          </CopyButton>
        </li>
      )}
      <li>
        <SaveView search={search} />
      </li>
      <li>
        <Button look="quiet" size="small" onClick={() => onChange({})}>
          Clear
        </Button>
      </li>
    </ul>
  );
}

/** Asks for a name in place, and adds the list to the saved views. */
function SaveView({ search }: { search: RunsSearch }) {
  const [name, setName] = useState<string>();
  const { save } = useOwnViews();
  if (name === undefined)
    return (
      <Button look="quiet" size="small" onClick={() => setName("")}>
        <Bookmark size={12} aria-hidden /> Save view
      </Button>
    );
  return (
    <Form
      className="flex items-center gap-1"
      onSubmit={() => {
        if (name.trim() !== "") save({ name: name.trim(), search });
        setName(undefined);
      }}
    >
      <Input
        autoFocus
        aria-label="Name of the view"
        placeholder="Name of the view"
        maxLength={40}
        className="h-7 w-40 text-xs max-md:h-10"
        value={name}
        onChange={({ target }) => setName(target.value)}
        onKeyDown={(event) => event.key === "Escape" && setName(undefined)}
      />
      <Button size="small" type="submit" className="max-md:h-10">
        Save
      </Button>
    </Form>
  );
}

const PAUSE_MS = 250;

/** A search field that starts the search after a pause in typing. */
function SearchField({ value, onChange }: { value: string; onChange(q: string): void }) {
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    const q = text.trim();
    if (q === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = q;
      onChange(q);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, onChange]);
  useHotkeys([{ keys: "/", label: "Search the runs", run: () => field.current?.focus() }]);
  return (
    <span className="relative min-w-0 max-md:flex-1 md:w-72">
      <Search
        size={14}
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-muted"
      />
      <Input
        ref={field}
        type="search"
        aria-label="Search tasks, messages and results"
        placeholder="Search tasks, messages, results…"
        maxLength={200}
        className="w-full pl-8 max-md:h-10"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    </span>
  );
}

function AgentChoice({ value, onChange }: { value: string; onChange(agent: string): void }) {
  const { data } = useQuery(agentsQuery);
  const names = new Set([...(data?.agents ?? []).map(({ name }) => name), ...(value === "" ? [] : [value])]);
  return (
    <Select
      aria-label="Agent"
      className="max-w-40 max-md:h-10"
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">Any agent</option>
      {[...names].toSorted().map((name) => (
        <option key={name}>{name}</option>
      ))}
    </Select>
  );
}

const withoutEmpty = (search: Record<string, unknown>): RunsSearch =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== "" && value !== undefined));
