import { VisibleText } from "../../display/visible-text.tsx";

/** What stands in backticks is to be typed. */
export function WithCode({ text }: { text: string }) {
  let at = 0;
  return text.split("`").map((part) => {
    const key = at++;
    return key % 2 === 0 ? (
      <VisibleText key={key} text={part} />
    ) : (
      <code key={key} className="rounded bg-raised px-1 font-mono text-xs [overflow-wrap:anywhere]">
        {part}
      </code>
    );
  });
}
