import { useEffect, useState, useSyncExternalStore } from "react";
import { openTreeJournal, type TreeJournal } from "./tree-journal.ts";

/** Opens the journal of a tree while the component is mounted, and renders it again as it grows. */
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
