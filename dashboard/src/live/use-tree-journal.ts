import { useEffect, useState, useSyncExternalStore } from "react";
import { openTreeJournal, type TreeJournal } from "./tree-journal.ts";

/** The tree's journal while the component is there, drawn anew whenever it grows. */
export function useTreeJournal(rootId: string): TreeJournal | undefined {
  const [journal, setJournal] = useState<TreeJournal>();
  useEffect(() => {
    const opened = openTreeJournal(rootId);
    setJournal(opened);
    return () => opened.close();
  }, [rootId]);
  useSyncExternalStore(journal?.subscribe ?? never, () => journal?.version ?? 0);
  return journal;
}

const never = () => () => {};
