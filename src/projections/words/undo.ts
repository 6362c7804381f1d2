// The words of `cadre undo`, for the terminal and the page.

/** A file of an undo, as the API describes it. */
interface UndoneFile {
  status: "undo" | "done" | "conflict" | "partly" | "unkept" | "changed" | "full";
  action?: "restores" | "removes" | "brings_back" | undefined;
}

/** The words for a file that the undo changes, before and after the undo. */
export const UNDO_ACTIONS: Record<NonNullable<UndoneFile["action"]>, { plan: string; done: string }> = {
  restores: { plan: "restore", done: "restored" },
  removes: { plan: "remove", done: "removed" },
  brings_back: { plan: "bring back", done: "brought back" },
};

/** Why a file stays as it is, or goes back only partly. Undefined if the undo takes back all changes of the file. */
export function keptReason({ status }: UndoneFile): string | undefined {
  switch (status) {
    case "undo":
    case "done":
      return undefined;
    case "conflict":
      return "changed since by somebody else, so it stays";
    case "partly":
      return "back to what somebody else made of it in between";
    case "unkept":
      return "its earlier version is not kept (it may hold secrets, or is too large)";
    case "changed":
      return "changed during the undo, so it stays";
    case "full":
      return "holds files of others, so it stays";
  }
}

export const LASTING = "Not taken back: other effects of these calls";
