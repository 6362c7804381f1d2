// U46: an empty list says what fills it.

import { Activity, SearchX } from "lucide-react";
import { Command } from "../../display/command/command.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { StartRunButton } from "../start-run/start-run-button.tsx";
import { filterChips, showsAll } from "./filter.ts";
import type { RunsSearch } from "./runs-search.ts";

export function NoRuns({ search, onChange }: { search: RunsSearch; onChange(search: RunsSearch): void }) {
  if (filterChips(search).length === 0)
    return (
      <EmptyState icon={<Activity size={28} aria-hidden />} title="No runs yet">
        <p>A run is an agent at work on a task. Start one here, or in a terminal:</p>
        <Command words='run "Say what is in this folder"' />
        <StartRunButton />
      </EmptyState>
    );
  return (
    <EmptyState icon={<SearchX size={28} aria-hidden />} title="No run fits">
      {!showsAll(search) && (
        <>
          <p>These filters look at roots only. A run below another may fit.</p>
          <Button onClick={() => onChange({ ...search, all: true })}>Look below too</Button>
        </>
      )}
      <Button look="quiet" onClick={() => onChange({})}>
        Show all runs
      </Button>
    </EmptyState>
  );
}
