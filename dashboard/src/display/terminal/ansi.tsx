import { useMemo, useState } from "react";
import { shortCount } from "../../../../src/projections/words/format.ts";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { ScrollBox } from "../../ui/scroll-box.tsx";
import { VisibleText } from "../visible-text.tsx";
import { type AnsiStyle, ansiSpans } from "./ansi-spans.ts";

/** Output with more characters than this shows only its start and end at first. */
const MAX_SHOWN = 20_000;

/** The output of a program with its colours, in a scrolling box. */
export function Ansi({ text }: { text: string }) {
  const [all, setAll] = useState(false);
  const cut = !all && text.length > MAX_SHOWN;
  const head = cut ? text.slice(0, MAX_SHOWN / 2) : text;
  return (
    <ScrollBox label="Output" className="max-h-96 rounded-md border border-line bg-canvas">
      <Spans text={head} />
      {cut && (
        <>
          <Button look="plain" size="small" className="mx-2" onClick={() => setAll(true)}>
            Show the {shortCount(text.length - MAX_SHOWN)} characters in between
          </Button>
          <Spans text={text.slice(-MAX_SHOWN / 2)} />
        </>
      )}
    </ScrollBox>
  );
}

function Spans({ text }: { text: string }) {
  const spans = useMemo(() => ansiSpans(text), [text]);
  let at = 0;
  return (
    <pre className="whitespace-pre-wrap p-2 font-mono text-xs wrap-anywhere">
      {spans.map((span) => (
        <span key={at++} className={classOf(span.style)}>
          <VisibleText text={span.text} />
        </span>
      ))}
    </pre>
  );
}

function classOf({ colour, background, bold, dim, italic, underline }: AnsiStyle): string {
  return classNames(
    colour !== undefined && COLOURS[colour],
    background !== undefined && BACKGROUNDS[background],
    bold && "font-bold",
    dim && "text-muted",
    italic && "italic",
    underline && "underline",
  );
}

/** The page uses its own colours, because terminal colours are not readable on every background. */
const COLOURS = ["", "text-bad", "text-good", "text-warn", "text-info", "text-child", "text-accent", ""];
const BACKGROUNDS = [
  "bg-raised",
  "bg-bad-soft",
  "bg-good-soft",
  "bg-warn-soft",
  "bg-info-soft",
  "bg-child-soft",
  "bg-accent-soft",
  "bg-raised",
];
