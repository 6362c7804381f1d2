// The details panel of a run, in tabs: result, sources, files, usage with the budget, and the context (tools and prompt).

import { Tabs } from "../../ui/tabs.tsx";
import type { RunViewProps } from "../run-view.ts";
import { BudgetBars } from "./budget-bars.tsx";
import { FilesTab } from "./files-tab.tsx";
import { PANEL_TABS, type PanelTab } from "./panel-tabs.ts";
import { PromptTab } from "./prompt-tab.tsx";
import { ResultTab } from "./result-tab.tsx";
import { EmptyTab } from "./section.tsx";
import { SourcesTab } from "./sources-tab.tsx";
import { Todos } from "./todos.tsx";
import { ToolsTab } from "./tools-tab.tsx";
import { UsageTab } from "./usage-tab.tsx";

export interface RunPanelProps extends RunViewProps {
  tab: PanelTab;
  onTab(tab: PanelTab): void;
}

export function RunPanel({ journal, runId, onSelect, tab, onTab }: RunPanelProps) {
  const run = journal.runs.get(runId);
  if (!run) return <EmptyTab>This run is not part of the tree.</EmptyTab>;
  return (
    <div className="flex h-full min-h-0 flex-1 flex-col">
      <Tabs<PanelTab>
        value={tab}
        onChange={onTab}
        label="About this run"
        tabs={Object.entries(PANEL_TABS).map(([value, label]) => ({ value: value as PanelTab, label }))}
      >
        <div
          key={runId}
          className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-3 md:p-4 [&>*]:max-w-3xl"
        >
          {tab === "result" && (
            <>
              <ResultTab run={run} />
              <Todos run={run} />
            </>
          )}
          {tab === "sources" && <SourcesTab run={run} journal={journal} onSelect={onSelect} />}
          {tab === "files" && <FilesTab run={run} onSelect={(at) => onSelect(runId, at)} />}
          {tab === "usage" && (
            <>
              <BudgetBars run={run} journal={journal} />
              <UsageTab run={run} journal={journal} />
            </>
          )}
          {tab === "prompt" && (
            <>
              <ToolsTab run={run} />
              <PromptTab run={run} onSelect={(at) => onSelect(runId, at)} />
            </>
          )}
        </div>
      </Tabs>
    </div>
  );
}
