// Shows a unified diff with line numbers and marks. Long lines wrap, so that nothing is out of sight (A17).

import { UnfoldVertical } from "lucide-react";
import { useMemo, useState } from "react";
import { plural } from "../../../../src/projections/words/format.ts";
import { Button } from "../../ui/button.tsx";
import { VisibleText } from "../visible-text.tsx";
import { type DiffLine, type DiffRow, diffParts, diffRows } from "./diff-rows.ts";

/** If a diff has more rows than this, the user must ask for the rest. */
const MAX_ROWS = 3_000;

export interface DiffProps {
  patch: string;
  /** A17: shows every row, because a person bases a decision on this diff. */
  whole?: boolean;
}

export function Diff({ patch, whole = false }: DiffProps) {
  const rows = useMemo(() => diffRows(patch), [patch]);
  const [all, setAll] = useState(whole);
  const shown = all ? rows : rows.slice(0, MAX_ROWS);
  let at = 0;
  return (
    <div className="overflow-hidden rounded-md border border-line bg-surface">
      <table aria-label="Diff" className="w-full border-collapse font-mono text-xs leading-5">
        <tbody>
          {diffParts(shown).map((part) =>
            part.kind === "fold" ? (
              <Fold key={at++} rows={part.rows} />
            ) : (
              part.rows.map((row) => <Row key={at++} row={row} />)
            ),
          )}
        </tbody>
      </table>
      {shown.length < rows.length && (
        <Button look="quiet" className="w-full" onClick={() => setAll(true)}>
          Show {plural(rows.length - shown.length, "more line")}
        </Button>
      )}
    </div>
  );
}

function Fold({ rows }: { rows: DiffLine[] }) {
  const [open, setOpen] = useState(false);
  if (open) return rows.map((row) => <Row key={row.before} row={row} />);
  return (
    <tr>
      <td colSpan={4} className="bg-raised p-0">
        <Button look="quiet" size="small" className="w-full rounded-none" onClick={() => setOpen(true)}>
          <UnfoldVertical size={12} aria-hidden /> {plural(rows.length, "unchanged line")}
        </Button>
      </td>
    </tr>
  );
}

function Row({ row }: { row: DiffRow }) {
  if (!isLine(row))
    return (
      <tr className={row.kind === "hunk" ? "bg-info-soft text-info" : "bg-raised text-muted"}>
        <td colSpan={4} className="whitespace-pre-wrap px-2 wrap-anywhere">
          <VisibleText text={row.text} />
        </td>
      </tr>
    );
  const { mark, word, look } = LOOKS[row.kind];
  return (
    <tr className={look}>
      <Numbers at={row.before} />
      <Numbers at={row.after} />
      <td className="w-4 select-none text-center align-top">
        <span aria-hidden>{mark}</span>
        {word && <span className="sr-only">{word}</span>}
      </td>
      <td className="whitespace-pre-wrap pr-2 align-top wrap-anywhere">
        <VisibleText text={row.text} />
      </td>
    </tr>
  );
}

const Numbers = ({ at }: { at: number | undefined }) => (
  <td className="w-px select-none px-1.5 text-right align-top text-2xs text-muted tabular-nums">{at}</td>
);

const isLine = (row: DiffRow): row is DiffLine => Object.hasOwn(LOOKS, row.kind);

const LOOKS = {
  same: { mark: "", word: "", look: "" },
  added: { mark: "+", word: "added", look: "bg-good-soft" },
  removed: { mark: "−", word: "removed", look: "bg-bad-soft" },
};
