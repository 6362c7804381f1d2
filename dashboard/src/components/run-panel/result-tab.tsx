import { Lightbulb, TriangleAlert } from "lucide-react";
import { duration } from "../../../../src/projections/words/format.ts";
import { describeStop } from "../../../../src/projections/words/stop-reasons.ts";
import { JsonView } from "../../display/json-view.tsx";
import { Markdown } from "../../display/markdown/markdown.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import type { RunJournal } from "../../live/tree-journal.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { EmptyTab, Section } from "./section.tsx";

export function ResultTab({ run }: { run: RunJournal }) {
  const last = run.events.at(-1);
  const isEnd =
    last?.type === "RUN_COMPLETED" || last?.type === "RUN_FAILED" || last?.type === "RUN_CANCELLED";
  if (!isEnd) return <EmptyTab>No result yet</EmptyTab>;
  const { summary, output, result, stopReason } = last.payload;
  const { tests_run: tests, tests_passed: passed, first_cause: cause } = result;
  return (
    <>
      <Section title="Summary">
        <Markdown text={summary || "(no text)"} />
      </Section>
      {result.details !== undefined && result.details !== summary && (
        <Section title="Details">
          <Markdown text={result.details} />
        </Section>
      )}
      <Remarks title="Warnings" icon={TriangleAlert} texts={result.warnings} />
      <Remarks title="Suggestions" icon={Lightbulb} texts={result.suggestions} />
      {output !== undefined && output !== summary && (
        <Section title="Output">
          <div className="relative rounded-md border border-line bg-canvas p-2">
            {typeof output === "string" ? <Markdown text={output} /> : <JsonView value={output} />}
            <CopyButton
              text={typeof output === "string" ? output : JSON.stringify(output, null, 2)}
              label="Copy output"
              className="absolute top-1 right-1"
            />
          </div>
        </Section>
      )}
      <Facts>
        <Fact name="Why it ended">{describeStop(stopReason, run.row.status).why}</Fact>
        {cause && (
          <Fact name="First cause">
            {cause.agent}: {cause.summary}
          </Fact>
        )}
        <Fact name="Tests">{tests === null ? "none detected" : `${passed ?? 0} of ${tests} passed`}</Fact>
        <Fact name="Turns">{run.row.turns}</Fact>
        <Fact name="Active time">{duration(result.duration_ms)}</Fact>
      </Facts>
    </>
  );
}

interface RemarksProps {
  title: string;
  icon: typeof Lightbulb;
  texts: readonly string[];
}

function Remarks({ title, icon: Icon, texts }: RemarksProps) {
  if (texts.length === 0) return null;
  return (
    <Section title={title}>
      <ul className="flex flex-col gap-1 text-sm">
        {texts.map((text) => (
          <li key={text} className="flex gap-2">
            <Icon size={14} aria-hidden className="mt-0.5 shrink-0 text-warn" />
            <span className="wrap-anywhere">
              <VisibleText text={text} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
