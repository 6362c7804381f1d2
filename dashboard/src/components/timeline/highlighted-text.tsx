import { VisibleText } from "../../display/visible-text.tsx";

/** Somebody's words, with what is looked for marked in them (U12). */
export function HighlightedText({ text, q }: { text: string; q: string }) {
  const parts = q === "" ? [text] : splitAt(text, q);
  if (parts.length === 1) return <VisibleText text={text} />;
  return parts.map((part, index) =>
    index % 2 === 0 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text have no other name
      <VisibleText key={index} text={part} />
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text have no other name
      <mark key={index} className="rounded bg-warn-soft text-warn">
        <VisibleText text={part} />
      </mark>
    ),
  );
}

/** Every second piece is a match. */
export function splitAt(text: string, q: string): string[] {
  const [low, wanted] = [text.toLowerCase(), q.toLowerCase()];
  // A letter whose small form is longer would put the marks in the wrong place.
  if (low.length !== text.length || wanted === "") return [text];
  const parts: string[] = [];
  let from = 0;
  for (let at = low.indexOf(wanted); at !== -1; at = low.indexOf(wanted, from)) {
    parts.push(text.slice(from, at), text.slice(at, at + wanted.length));
    from = at + wanted.length;
  }
  parts.push(text.slice(from));
  return parts;
}
