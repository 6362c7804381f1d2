// What is shown of a run, as it stands in the address (U16). The event that is looked at is its hash: `#142` of the run
// itself, `#<run>:142` of one whose timeline is open inside (U17).

import { TALK_KINDS, type TalkKind } from "../components/conversation/talk-filter.ts";
import { parseEventRef } from "../components/event-detail/event-ref.ts";
import { PANEL_TABS, type PanelTab } from "../components/run-panel/panel-tabs.ts";
import { FACETS, type Facet } from "../components/timeline/facets.ts";

export const RUN_VIEWS = ["timeline", "waterfall", "conversation", "budget", "why"] as const;
export type RunView = (typeof RUN_VIEWS)[number];

export interface RunSearch {
  view?: RunView;
  /** Only these kinds of events; absent: all. */
  show?: Facet[];
  /** What is looked for in the tree. */
  q?: string;
  /** Children whose timelines are open in place. */
  open?: string[];
  /** Events that are kept in sight, side by side: `<run>:<seq>`. */
  pin?: string[];
  tree?: "closed";
  /** Absent: as there is room, or something to look at. */
  details?: "open" | "closed";
  /** The position up to which the tree is shown; absent: now. */
  at?: number;
  /** Of what is told about the run; absent: its result. */
  tab?: PanelTab;
  /** Only these parts of the conversation, and only those with these words. */
  talk?: TalkKind;
  words?: string;
  /** What the budget is shown in; absent: what is limited, or known. */
  unit?: "cost" | "tokens";
}

const MAX_PINS = 2;

export function parseRunSearch(search: Record<string, unknown>): RunSearch {
  const view = RUN_VIEWS.find((each) => each === search["view"]);
  const show = FACETS.filter((facet) => words(search["show"]).includes(facet));
  const open = words(search["open"]);
  const details = (["open", "closed"] as const).find((each) => each === search["details"]);
  const pin = words(search["pin"]).filter((each) => parseEventRef(each) !== undefined);
  // A number that is typed into the address is one.
  const q = typeof search["q"] === "number" ? String(search["q"]) : (words(search["q"])[0] ?? "");
  const tab = PANEL_TABS.find((each) => each === search["tab"]);
  const talk = TALK_KINDS.find((each) => each === search["talk"]);
  const [wanted] = words(search["words"]);
  const unit = (["cost", "tokens"] as const).find((each) => each === search["unit"]);
  return {
    ...(view === undefined ? {} : { view }),
    ...(show.length === 0 ? {} : { show }),
    ...(q === "" ? {} : { q }),
    ...(open.length === 0 ? {} : { open }),
    ...(pin.length === 0 ? {} : { pin: pin.slice(-MAX_PINS) }),
    ...(search["tree"] === "closed" ? { tree: "closed" } : {}),
    ...(details === undefined ? {} : { details }),
    ...(isPosition(search["at"]) ? { at: search["at"] } : {}),
    ...(tab === undefined || tab === "result" ? {} : { tab }),
    ...(talk === undefined || talk === "all" ? {} : { talk }),
    ...(wanted === undefined ? {} : { words: wanted }),
    ...(unit === undefined ? {} : { unit }),
  };
}

const isPosition = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

const words = (value: unknown): string[] =>
  [value].flat().filter((each): each is string => typeof each === "string" && each !== "");
