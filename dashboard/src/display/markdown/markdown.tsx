// What a model wrote, for people. The reader of Markdown comes when it is first needed; until then, for what is too long, and
// where it fails, the text itself is shown: always something to read, never a blank place.

import { Component, lazy, memo, type ReactNode, Suspense, useDeferredValue } from "react";
import { VisibleText } from "../visible-text.tsx";
import { markdownChunks } from "./markdown-chunks.ts";

const RenderedMarkdown = lazy(() =>
  import("./rendered-markdown.tsx").then((file) => ({ default: file.RenderedMarkdown })),
);

/** Longer texts, and deeper ones, would hold the page up while they are read. */
const MAX_LENGTH = 40_000;
const DEEP = /^(?:[ \t]*(?:[>*+-]|\d+[.)])){40}|[[(*_~`]{200}/m;

/** Half a text, while it streams, reads as well as a whole one. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const shown = useDeferredValue(text);
  let at = 0;
  const plain = <Plain text={shown} />;
  if (shown.length > MAX_LENGTH || DEEP.test(shown)) return plain;
  return (
    <PlainOnFailure plain={plain}>
      <Suspense fallback={plain}>
        <div className="flex flex-col gap-2">
          {markdownChunks(shown).map((chunk) => (
            <RenderedMarkdown key={at++} text={chunk} />
          ))}
        </div>
      </Suspense>
    </PlainOnFailure>
  );
});

const Plain = ({ text }: { text: string }) => (
  <div className="whitespace-pre-wrap wrap-anywhere">
    <VisibleText text={text} />
  </div>
);

class PlainOnFailure extends Component<{ plain: ReactNode; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    return this.state.failed ? this.props.plain : this.props.children;
  }
}
