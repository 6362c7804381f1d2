// U11: the panes of a run's page. All views share the same selection.

import { lazy, Suspense, useCallback } from "react";
import { plural } from "../../../src/projections/words/format.ts";
import { DetailsPane, type DetailsPaneProps } from "../components/event-detail/details-pane.tsx";
import { PinnedEvents } from "../components/event-detail/event-detail.tsx";
import { TreeDrawer, TreePane } from "../components/run-tree/tree-pane.tsx";
import { TimelineFilters } from "../components/timeline/filters.tsx";
import { SearchBar } from "../components/timeline/search-bar.tsx";
import { TimelineView } from "../components/timeline/timeline.tsx";
import { useTreeSearch } from "../components/timeline/tree-search.ts";
import { Loading } from "../display/page-state.tsx";
import { eventCount, type TreeJournal } from "../live/tree-journal.ts";
import { useHotkeys } from "../ui/hotkeys.ts";
import { Tabs } from "../ui/tabs.tsx";
import { RUN_VIEWS, type RunSearch, type RunView } from "./run-search.ts";
import type { RunAddress } from "./use-run-address.ts";

const Waterfall = lazy(async () => ({
  default: (await import("../components/waterfall/waterfall.tsx")).Waterfall,
}));
const Conversation = lazy(async () => ({
  default: (await import("../components/conversation/conversation.tsx")).Conversation,
}));
const RiverView = lazy(async () => ({
  default: (await import("../components/river/river-view.tsx")).RiverView,
}));
const WhyView = lazy(async () => ({ default: (await import("../components/why/why-view.tsx")).WhyView }));

export interface RunViewsProps {
  journal: TreeJournal;
  rootId: string;
  runId: string;
  address: RunAddress;
  onFork(ref: NonNullable<RunAddress["selected"]>): void;
}

const NONE: NonNullable<RunSearch["show"]> = [];

export function RunViews({ journal, rootId, runId, address, onFork }: RunViewsProps) {
  const { search, selected, pins, open, go, look, change } = address;
  const { view = "timeline", show = NONE, q = "" } = search;
  const found = useTreeSearch(journal, q, show);
  const { closed, toggle } = usePanes(address);
  useViewKeys(address, view, toggle);
  // The callback stays the same object, so that unchanged rows do not render again.
  const select = useCallback(
    (id: string, seq?: number) =>
      seq !== undefined && view === "timeline" ? look({ runId: id, seq }) : go(id, seq),
    [view, look, go],
  );
  const step = (way: 1 | -1) => {
    const next = found.step(selected ?? { runId, seq: 0 }, way);
    if (next) go(next.runId, next.seq);
  };
  const seq = selected?.runId === runId ? selected.seq : undefined;
  const tree = { journal, rootId, runId, hits: found.counts, onSelect: go };
  const common = { journal, runId, seq, onSelect: select };
  return (
    <>
      {/* On a short screen the page scrolls, so that the views keep a useful height. */}
      <div className="flex min-h-80 flex-1">
        <TreePane {...tree} closed={search.tree === "closed"} onToggle={() => toggle("tree")} />
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          <Tabs
            label="Views of this run"
            value={view}
            onChange={(next) => change({ view: next === "timeline" ? undefined : next })}
            tabs={RUN_VIEWS.map((value) => ({ value, label: LABELS[value] }))}
            aside={
              <div className="flex min-w-0 flex-1 basis-64 items-center justify-end gap-1.5 px-2 max-md:basis-full max-md:border-line max-md:border-t md:gap-2 md:py-0.5">
                <TreeDrawer {...tree} />
                <LoadingProgress journal={journal} />
                {view === "timeline" && (
                  <TimelineFilters
                    journal={journal}
                    runId={runId}
                    show={show}
                    isEvents={search.rows === "events"}
                    onSelect={go}
                    onShow={(next) => change({ show: next })}
                    onEvents={(isEvents) => change({ rows: isEvents ? "events" : undefined })}
                  />
                )}
                <SearchBar
                  q={q}
                  total={found.total}
                  place={found.place(selected)}
                  onChange={(next) => change({ q: next })}
                  onStep={step}
                />
              </div>
            }
          >
            {view === "timeline" && (
              <TimelineView
                {...common}
                selected={selected}
                show={show}
                open={open}
                q={q}
                onToggle={address.toggleOpen}
                isEvents={search.rows === "events"}
              />
            )}
            <OtherView view={view} common={common} address={address} />
          </Tabs>
          <PinnedEvents journal={journal} pins={pins} onSelect={go} onUnpin={address.togglePin} />
        </div>
        <DetailsPane
          {...common}
          onSelect={go}
          selected={selected}
          pins={pins}
          closed={closed}
          onToggle={() => toggle("details")}
          tab={search.tab ?? "result"}
          onTab={(tab) => change({ tab })}
          onDeselect={() => look(undefined)}
          onPin={address.togglePin}
          onFork={onFork}
        />
      </div>
    </>
  );
}

interface OtherViewProps {
  view: RunView;
  common: Pick<DetailsPaneProps, "journal" | "runId" | "seq" | "onSelect">;
  address: RunAddress;
}

/** All views except the timeline. The code of each view loads on demand. */
function OtherView({ view, common, address: { search, go, change } }: OtherViewProps) {
  return (
    <Suspense fallback={<Loading />}>
      {view === "waterfall" && <Waterfall {...common} />}
      {view === "conversation" && (
        <Conversation
          {...common}
          filter={{ kind: search.talk ?? "all", text: search.words ?? "" }}
          onFilter={({ kind, text }) => change({ talk: kind, words: text })}
        />
      )}
      {view === "budget" && (
        <RiverView {...common} unit={search.unit} onSelect={go} onUnit={(unit) => change({ unit })} />
      )}
      {view === "why" && <WhyView {...common} onSelect={go} />}
    </Suspense>
  );
}

const LABELS: Record<RunView, string> = {
  timeline: "Timeline",
  waterfall: "Waterfall",
  conversation: "Conversation",
  budget: "Budget",
  why: "Why",
};

/** The details are open while an event is selected or a tab is named, unless the user opened or closed them. */
function usePanes({ search, selected, change }: RunAddress) {
  const isUsed = selected !== undefined || search.tab !== undefined;
  const closed = search.details === undefined ? !isUsed : search.details === "closed";
  const toggle = (pane: "tree" | "details") =>
    change(
      pane === "tree"
        ? { tree: search.tree === "closed" ? undefined : "closed" }
        : { details: closed ? "open" : "closed" },
    );
  return { closed, toggle };
}

function useViewKeys(
  { change, look }: RunAddress,
  view: RunView,
  toggle: (pane: "tree" | "details") => void,
) {
  const next = RUN_VIEWS[(RUN_VIEWS.indexOf(view) + 1) % RUN_VIEWS.length]!;
  useHotkeys([
    {
      keys: "v",
      label: "Next view of the run",
      run: () => change({ view: next === "timeline" ? undefined : next }),
    },
    { keys: "[", label: "Show or hide the tree", run: () => toggle("tree") },
    { keys: "]", label: "Show or hide the details", run: () => toggle("details") },
    { keys: "Escape", label: "Show the run", run: () => look(undefined) },
  ]);
}

/** Counts the events while the journal loads. The views already show the loaded events. */
function LoadingProgress({ journal }: { journal: TreeJournal }) {
  if (journal.loaded) return null;
  return (
    <span role="status" className="whitespace-nowrap text-muted text-xs tabular-nums">
      Loading… {plural(eventCount(journal), "event")}
    </span>
  );
}
