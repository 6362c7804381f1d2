import { VisibleText } from "./visible-text.tsx";

/** What a model wrote, for people. */
export function Markdown({ text }: { text: string }) {
  return (
    <div className="whitespace-pre-wrap">
      <VisibleText text={text} />
    </div>
  );
}
