// The run tree in a resizable pane on the left. On a phone a button opens it in a dialog.

import { ListTree, PanelLeftClose, PanelLeftOpen } from "lucide-react";
import { useState } from "react";
import { plural } from "../../../../src/projections/words/format.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { type PaneSize, Splitter, usePaneWidth } from "../../ui/splitter.tsx";
import { rollUps } from "./roll-up.ts";
import { RunTree, type RunTreeProps } from "./run-tree.tsx";
import { SumBadges } from "./tree-node.tsx";

export interface TreePaneProps extends RunTreeProps {
  closed: boolean;
  onToggle(): void;
}

const SIZE: PaneSize = { initial: 288, min: 160, max: 640 };

export function TreePane({ closed, onToggle, ...tree }: TreePaneProps) {
  const [width, setWidth] = usePaneWidth("cadre.tree-width", SIZE);
  if (closed)
    return (
      <div className="hidden shrink-0 border-line border-r bg-surface p-1 md:block">
        <IconButton icon={PanelLeftOpen} label="Show the tree" onClick={onToggle} />
      </div>
    );
  return (
    <>
      <section
        aria-label="Tree"
        className="hidden min-h-0 shrink-0 flex-col bg-surface md:flex"
        style={{ width: `${width}px` }}
      >
        <div className="flex items-center justify-between border-line border-b py-1 pr-1 pl-3">
          <span className="text-muted text-xs">{plural(tree.journal.runs.size, "run")} in this tree</span>
          <IconButton icon={PanelLeftClose} label="Hide the tree" onClick={onToggle} />
        </div>
        <RunTree {...tree} />
      </section>
      <span className="hidden md:flex">
        <Splitter
          label="Width of the tree pane"
          width={width}
          min={SIZE.min}
          max={SIZE.max}
          pane="left"
          onChange={setWidth}
        />
      </span>
    </>
  );
}

/** A button that opens the tree on a phone. */
export function TreeDrawer(tree: RunTreeProps) {
  const [open, setOpen] = useState(false);
  const sum = rollUps(tree.journal.runs, tree.rootId).get(tree.rootId);
  return (
    <div className="mr-auto shrink-0 md:hidden">
      <Button look="quiet" className="h-10 px-2" onClick={() => setOpen(true)}>
        <ListTree size={15} aria-hidden />
        <span className="sr-only">{plural(tree.journal.runs.size, "run")} in this tree</span>
        {sum && <SumBadges sum={sum} />}
      </Button>
      <Dialog open={open} onOpenChange={setOpen} title="Tree">
        <RunTree
          {...tree}
          onSelect={(runId) => {
            setOpen(false);
            tree.onSelect(runId);
          }}
        />
      </Dialog>
    </div>
  );
}
