// S1-62: the tools the run's agent may call, as pinned when the run started, and the calls it has made.

import { useQuery } from "@tanstack/react-query";
import { Ban, CornerDownRight, Flag, Hand, type LucideIcon, Wrench } from "lucide-react";
import type { RunDefinition } from "../../../../src/api/client/types.ts";
import { plural } from "../../../../src/projections/words/format.ts";
import { Failure, Loading } from "../../display/page-state.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { runStateOf, talkOf } from "../../live/folds.ts";
import { runDefinitionQuery } from "../../live/queries.ts";
import type { RunJournal } from "../../live/tree-journal.ts";
import { TONES, type Tone } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Facts, Section } from "./section.tsx";

export function ToolsTab({ run }: { run: RunJournal }) {
  const asked = useQuery(runDefinitionQuery(run.row.id));
  if (asked.isError) return <Failure error={asked.error} onAgain={() => void asked.refetch()} />;
  if (!asked.data) return <Loading what="Loading the definition" />;
  return <Tools run={run} pinned={asked.data} />;
}

function Tools({ run, pinned: { definition, isTerminal } }: { run: RunJournal; pinned: RunDefinition }) {
  const { tools, permissions, delegates = [], models, readOnly } = definition;
  const { start } = runStateOf(run.events);
  const above = start?.ancestors ?? [];
  return (
    <>
      <Rules
        title="May call"
        icon={Wrench}
        tone="good"
        rules={tools.allow ?? ["every tool"]}
        none="no tool"
      />
      <Rules
        title="Needs approval"
        icon={Hand}
        tone="warn"
        rules={[
          ...tools.ask,
          ...permissions.ask,
          ...(start?.permissions?.ask ?? []),
          ...above.flatMap(({ ask }) => ask),
        ]}
        none="nothing beyond the project's rules"
      />
      <Rules
        title="Denied"
        icon={Ban}
        tone="bad"
        rules={[
          ...tools.deny,
          ...permissions.deny,
          ...(start?.permissions?.deny ?? []),
          ...above.flatMap(({ deny }) => deny),
        ]}
        none="nothing beyond the project's rules"
      />
      <Rules
        title="May delegate to"
        icon={CornerDownRight}
        tone="child"
        rules={delegates.map(({ name }) => name)}
        none="no agents"
      />
      <Facts
        facts={[
          [
            "Answer",
            isTerminal ? <Mark key="t" icon={Flag} text="its own text (terminal)" /> : "another agent's text",
          ],
          ["Changes", readOnly ? "none: its tools are read-only" : "as its tools allow"],
          ["Models", <VisibleText key="m" text={models.join(", ")} />],
          [
            "Definition",
            <code key="d" className="text-xs">
              {run.row.definition.slice(0, 12)}
            </code>,
          ],
        ]}
      />
      <Section title="Calls so far">
        <Called run={run} />
      </Section>
    </>
  );
}

function Rules({
  title,
  icon: Icon,
  tone,
  rules,
  none,
}: {
  title: string;
  icon: LucideIcon;
  tone: Tone;
  rules: readonly string[];
  none: string;
}) {
  const unique = [...new Set(rules)];
  return (
    <Section title={title}>
      <ul className="flex flex-wrap gap-1.5">
        {unique.length === 0 && <li className="text-muted text-sm">{none}</li>}
        {unique.map((rule) => (
          <li
            key={rule}
            className={classNames(
              "flex items-center gap-1 rounded px-1.5 py-0.5 font-mono text-xs wrap-anywhere",
              TONES[tone],
            )}
          >
            <Icon size={11} aria-hidden className="shrink-0" />
            <VisibleText text={rule} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

const Mark = ({ icon: Icon, text }: { icon: LucideIcon; text: string }) => (
  <span className="inline-flex items-center gap-1">
    <Icon size={12} aria-hidden /> {text}
  </span>
);

function Called({ run }: { run: RunJournal }) {
  const counts = Map.groupBy(talkOf(run.events).calls.values(), (call) => call.tool);
  if (counts.size === 0) return <p className="text-muted text-sm">Nothing yet.</p>;
  return (
    <Facts
      facts={[...counts].map(([tool, calls]) => {
        const refused = calls.filter(({ state }) => state === "denied").length;
        const failed = calls.filter(({ state }) => state === "error").length;
        const bad = [refused > 0 ? `${refused} refused` : "", failed > 0 ? `${failed} failed` : ""].filter(
          Boolean,
        );
        return [
          tool,
          `${plural(calls.length, "time")}${bad.length > 0 ? ` (${bad.join(", ")})` : ""}`,
        ] as const;
      })}
    />
  );
}
