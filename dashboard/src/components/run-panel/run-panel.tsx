// Everything about one run that is not what it said: what came of it, what it cost, what it may.

import { useState } from "react";
import { Tabs } from "../../ui/tabs.tsx";
import type { RunViewProps } from "../run-view.ts";
import { BudgetTab } from "./budget-tab.tsx";
import { FilesTab } from "./files-tab.tsx";
import { PromptTab } from "./prompt-tab.tsx";
import { RawTab } from "./raw-tab.tsx";
import { ResultTab } from "./result-tab.tsx";
import { Nothing } from "./section.tsx";
import { TodosTab } from "./todos-tab.tsx";
import { ToolsTab } from "./tools-tab.tsx";
import { UsageTab } from "./usage-tab.tsx";

const TABS = [
  { value: "result", label: "Result" },
  { value: "files", label: "Files" },
  { value: "usage", label: "Usage" },
  { value: "budget", label: "Budget" },
  { value: "tools", label: "Tools" },
  { value: "prompt", label: "Prompt" },
  { value: "todos", label: "To do" },
  { value: "raw", label: "Events" },
] as const;
type Tab = (typeof TABS)[number]["value"];

export function RunPanel({ journal, runId, seq, onSelect }: RunViewProps) {
  const [tab, setTab] = useState<Tab>("result");
  const run = journal.runs.get(runId);
  if (!run) return <Nothing>This run is not part of the tree.</Nothing>;
  return (
    <div className="flex h-full min-h-0 flex-1 flex-col">
      <Tabs<Tab> value={tab} onChange={setTab} label="About this run" tabs={TABS}>
        {tab === "raw" ? (
          <RawTab key={runId} run={run} seq={seq} />
        ) : (
          <div
            key={runId}
            className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-3 md:p-4 [&>*]:max-w-3xl"
          >
            {tab === "result" && <ResultTab run={run} />}
            {tab === "files" && <FilesTab run={run} onSelect={(at) => onSelect(runId, at)} />}
            {tab === "usage" && <UsageTab run={run} journal={journal} />}
            {tab === "budget" && <BudgetTab run={run} journal={journal} />}
            {tab === "tools" && <ToolsTab run={run} />}
            {tab === "prompt" && <PromptTab run={run} />}
            {tab === "todos" && <TodosTab run={run} />}
          </div>
        )}
      </Tabs>
    </div>
  );
}
