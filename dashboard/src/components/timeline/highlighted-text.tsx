import { VisibleText } from "../../display/visible-text.tsx";

/** U12: a text with the search matches highlighted. */
export function HighlightedText({ text, q }: { text: string; q: string }) {
  const parts = q === "" ? [text] : splitAt(text, q);
  if (parts.length === 1) return <VisibleText text={text} />;
  return parts.map((part, index) =>
    index % 2 === 0 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other key
      <VisibleText key={index} text={part} />
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other key
      <mark key={index} className="rounded bg-warn-soft text-warn">
        <VisibleText text={part} />
      </mark>
    ),
  );
}

/** Splits at the matches; every second part is a match. */
export function splitAt(text: string, q: string): string[] {
  const [low, wanted] = [text.toLowerCase(), q.toLowerCase()];
  // Some letters get longer in lower case, which would shift the highlights.
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
