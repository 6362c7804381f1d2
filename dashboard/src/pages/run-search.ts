// U16, U17: the URL state of a run's page. The hash is the selected event: `#142` for the run itself, `#<run>:142` for
// an expanded child.

import { omitUndefined } from "../../../src/omit-undefined.ts";
import { TALK_KINDS, type TalkKind } from "../components/conversation/talk-filter.ts";
import { parseEventRef } from "../components/event-detail/event-ref.ts";
import { PANEL_TABS, type PanelTab } from "../components/run-panel/panel-tabs.ts";
import { FACETS, type Facet } from "../components/timeline/facets.ts";

export const RUN_VIEWS = ["timeline", "waterfall", "conversation", "budget", "why"] as const;
export type RunView = (typeof RUN_VIEWS)[number];

export interface RunSearch {
  view?: RunView;
  /** Event filters; absent for all events. */
  show?: Facet[];
  /** Search text. */
  q?: string;
  /** Expanded children. */
  open?: string[];
  /** Pinned events as `<run>:<seq>`. */
  pin?: string[];
  tree?: "closed";
  /** Absent: open if there is room or an event is selected. */
  details?: "open" | "closed";
  /** Journal position of a past moment; absent for now. */
  at?: number;
  /** Tab of the details panel; absent for the result. */
  tab?: PanelTab;
  /** Conversation filters: by kind, and by text. */
  talk?: TalkKind;
  words?: string;
  /** Unit of the budget view; absent: chosen by what is limited or known. */
  unit?: "cost" | "tokens";
}

const MAX_PINS = 2;

export function parseRunSearch(search: Record<string, unknown>): RunSearch {
  const view = RUN_VIEWS.find((each) => each === search["view"]);
  const show = FACETS.filter((facet) => words(search["show"]).includes(facet));
  const open = words(search["open"]);
  const details = (["open", "closed"] as const).find((each) => each === search["details"]);
  const pin = words(search["pin"]).filter((each) => parseEventRef(each) !== undefined);
  // The router parses a numeric search text as a number.
  const q = typeof search["q"] === "number" ? String(search["q"]) : (words(search["q"])[0] ?? "");
  const tab = PANEL_TABS.find((each) => each === search["tab"]);
  const talk = TALK_KINDS.find((each) => each === search["talk"]);
  const [wanted] = words(search["words"]);
  const unit = (["cost", "tokens"] as const).find((each) => each === search["unit"]);
  return omitUndefined({
    view,
    show: show.length > 0 ? show : undefined,
    q: q === "" ? undefined : q,
    open: open.length > 0 ? open : undefined,
    pin: pin.length > 0 ? pin.slice(-MAX_PINS) : undefined,
    tree: search["tree"] === "closed" ? ("closed" as const) : undefined,
    details,
    at: isPosition(search["at"]) ? search["at"] : undefined,
    tab: tab === "result" ? undefined : tab,
    talk: talk === "all" ? undefined : talk,
    words: wanted,
    unit,
  });
}

const isPosition = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

const words = (value: unknown): string[] =>
  [value].flat().filter((each): each is string => typeof each === "string" && each !== "");
