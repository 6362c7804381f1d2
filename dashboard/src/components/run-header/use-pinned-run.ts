import { useLocalStorage } from "../../ui/local-storage.ts";

/** S4-60: the run that stays at hand, whatever page is looked at. */
export const usePinnedRun = (): ReturnType<typeof useLocalStorage> => useLocalStorage("cadre.pinned-run");
