// S1-62: the tools that the run's agent is allowed to call, as recorded at the run's start, and the calls it has made.

import { useQuery } from "@tanstack/react-query";
import { Ban, CornerDownRight, Flag, Hand, Wrench } from "lucide-react";
import type { RunDefinition } from "../../../../src/api/client/types.ts";
import { plural } from "../../../../src/projections/words/format.ts";
import { Loaded } from "../../display/page-state.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { runStateOf, talkOf } from "../../live/folds.ts";
import { runDefinitionQuery } from "../../live/queries.ts";
import type { RunJournal } from "../../live/tree-journal.ts";
import { TONES, type Tone } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Fact, Facts } from "../../ui/facts.tsx";
import { Section } from "./section.tsx";

export function ToolsTab({ run }: { run: RunJournal }) {
  const definition = useQuery(runDefinitionQuery(run.row.id));
  return (
    <Loaded query={definition} what="Loading the definition">
      {(pinned) => <Tools run={run} pinned={pinned} />}
    </Loaded>
  );
}

function Tools({ run, pinned: { definition, isTerminal } }: { run: RunJournal; pinned: RunDefinition }) {
  const { tools, permissions, delegates = [], models, readOnly } = definition;
  const { start } = runStateOf(run.events);
  const rulesFor = (verdict: "ask" | "deny") => [
    ...tools[verdict],
    ...permissions[verdict],
    ...(start?.permissions?.[verdict] ?? []),
    ...(start?.ancestors ?? []).flatMap((ancestor) => ancestor[verdict]),
  ];
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
        rules={rulesFor("ask")}
        none="nothing beyond the project's rules"
      />
      <Rules
        title="Denied"
        icon={Ban}
        tone="bad"
        rules={rulesFor("deny")}
        none="nothing beyond the project's rules"
      />
      <Rules
        title="May delegate to"
        icon={CornerDownRight}
        tone="child"
        rules={delegates.map(({ name }) => name)}
        none="no agents"
      />
      <Facts>
        <Fact name="Answer">
          {isTerminal ? (
            <span className="inline-flex items-center gap-1">
              <Flag size={12} aria-hidden /> its own text (terminal)
            </span>
          ) : (
            "another agent's text"
          )}
        </Fact>
        <Fact name="Changes">{readOnly ? "none: its tools are read-only" : "as its tools allow"}</Fact>
        <Fact name="Models">
          <VisibleText text={models.join(", ")} />
        </Fact>
        <Fact name="Definition">
          <code className="text-xs">{run.row.definition.slice(0, 12)}</code>
        </Fact>
      </Facts>
      <Section title="Calls so far">
        <Called run={run} />
      </Section>
    </>
  );
}

interface RulesProps {
  title: string;
  icon: typeof Flag;
  tone: Tone;
  rules: readonly string[];
  /** The sentence that is shown if there are no rules. */
  none: string;
}

function Rules({ title, icon: Icon, tone, rules, none }: RulesProps) {
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

function Called({ run }: { run: RunJournal }) {
  const byTool = Map.groupBy(talkOf(run.events).calls.values(), (call) => call.tool);
  if (byTool.size === 0) return <p className="text-muted text-sm">Nothing yet.</p>;
  return (
    <Facts>
      {[...byTool].map(([tool, calls]) => {
        const refused = calls.filter(({ state }) => state === "denied").length;
        const failed = calls.filter(({ state }) => state === "error").length;
        const bad = [refused > 0 && `${refused} refused`, failed > 0 && `${failed} failed`].filter(Boolean);
        return (
          <Fact key={tool} name={tool}>
            {plural(calls.length, "time")}
            {bad.length > 0 && ` (${bad.join(", ")})`}
          </Fact>
        );
      })}
    </Facts>
  );
}
