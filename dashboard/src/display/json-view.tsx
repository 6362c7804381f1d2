// Shows any JSON value as an expandable tree. Collapsed parts are not rendered.

import { useState } from "react";
import { plural, shortCount } from "../../../src/projections/words/format.ts";
import { Button } from "../ui/button.tsx";
import { Details } from "../ui/details.tsx";
import { VisibleText } from "./visible-text.tsx";

/** How many levels, characters and entries are shown at first. */
const OPEN_LEVELS = 2;
const MAX_TEXT = 2_000;
const MAX_ENTRIES = 100;

export function JsonView({ value, name }: { value: unknown; name?: string }) {
  return (
    <div className="font-mono text-xs leading-5 wrap-anywhere">
      <Value value={value} name={name} level={0} />
    </div>
  );
}

function Value({ value, name, level }: { value: unknown; name: string | undefined; level: number }) {
  if (typeof value === "object" && value !== null && Object.keys(value).length > 0)
    return <Branch value={value} name={name} level={level} />;
  return (
    <div className="pl-4">
      <Name name={name} />
      <Leaf value={value} />
    </div>
  );
}

function Branch({ value, name, level }: { value: object; name: string | undefined; level: number }) {
  const [all, setAll] = useState(false);
  const entries = Object.entries(value);
  const shown = all ? entries : entries.slice(0, MAX_ENTRIES);
  const summary = (
    <>
      <Name name={name} />
      <span className="text-muted">{plural(entries.length, Array.isArray(value) ? "item" : "field")}</span>
    </>
  );
  return (
    <Details summary={summary} className="hover:bg-raised" isOpen={level < OPEN_LEVELS}>
      {() => (
        <div className="ml-1.5 border-line border-l pl-1">
          {shown.map(([key, each]) => (
            <Value key={key} value={each} name={key} level={level + 1} />
          ))}
          {shown.length < entries.length && (
            <Button look="quiet" size="small" onClick={() => setAll(true)}>
              Show {entries.length - shown.length} more
            </Button>
          )}
        </div>
      )}
    </Details>
  );
}

const Name = ({ name }: { name: string | undefined }) =>
  name === undefined ? null : (
    <span className="text-muted">
      <VisibleText text={name} />:{" "}
    </span>
  );

function Leaf({ value }: { value: unknown }) {
  const [all, setAll] = useState(false);
  if (typeof value !== "string")
    return <span className="text-info">{JSON.stringify(value) ?? "nothing"}</span>;
  const shown = all ? value : value.slice(0, MAX_TEXT);
  return (
    <span className="whitespace-pre-wrap">
      <VisibleText text={shown} />
      {shown.length < value.length && (
        <Button look="quiet" size="small" onClick={() => setAll(true)}>
          Show {shortCount(value.length - shown.length)} more characters
        </Button>
      )}
    </span>
  );
}
