// U46: the empty list of runs explains how to start a run or how to change the filters.

import { Activity, SearchX } from "lucide-react";
import { Command } from "../../display/command/command.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { StartRunButton } from "../start-run/start-run-dialog.tsx";
import { filterChips, type RunsSearch, showsAll } from "./filter.ts";

export function NoRuns({ search, onChange }: { search: RunsSearch; onChange(search: RunsSearch): void }) {
  if (filterChips(search).length === 0)
    return (
      <EmptyState icon={<Activity size={28} aria-hidden />} title="No runs yet">
        <p>A run is an agent working on a task. Start one here or in a terminal:</p>
        <Command words='run "Say what is in this folder"' />
        <StartRunButton />
      </EmptyState>
    );
  return (
    <EmptyState icon={<SearchX size={28} aria-hidden />} title="No matching runs">
      {!showsAll(search) && (
        <>
          <p>Child runs were not searched.</p>
          <Button onClick={() => onChange({ ...search, all: true })}>Include child runs</Button>
        </>
      )}
      <Button look="quiet" onClick={() => onChange({})}>
        Show all runs
      </Button>
    </EmptyState>
  );
}
