// Renders Markdown from a model. The renderer loads on first use.
// The plain text is shown while the renderer loads, if it fails, and if the text is very long.

import { Component, lazy, memo, type ReactNode, Suspense, useDeferredValue } from "react";
import { VisibleText } from "../visible-text.tsx";
import { markdownChunks } from "./markdown-chunks.ts";

const RenderedMarkdown = lazy(() =>
  import("./rendered-markdown.tsx").then((file) => ({ default: file.RenderedMarkdown })),
);

/** Rendering a text that is longer or more deeply nested than this would freeze the page. */
const MAX_LENGTH = 40_000;
const DEEP = /^(?:[ \t]*(?:[>*+-]|\d+[.)])){40}|[[(*_~`]{200}/m;

/** Renders a complete text, or a text that is still streaming. */
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
