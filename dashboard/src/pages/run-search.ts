// U16, U17: the part of a run page's state that is kept in the URL.
// The URL's hash names the selected event: `#142` is an event of the run itself, `#<run>:142` is an event of an expanded child.

import { omitUndefined } from "../../../src/omit-undefined.ts";
import { TALK_KINDS, type TalkKind } from "../components/conversation/talk-filter.ts";
import { parseEventRef } from "../components/event-detail/event-ref.ts";
import { PANEL_TABS, type PanelTab } from "../components/run-panel/panel-tabs.ts";
import { FACETS, type Facet } from "../components/timeline/facets.ts";
import { oneOf, type Params } from "../ui/search-params.ts";

export const RUN_VIEWS = ["timeline", "waterfall", "conversation", "budget", "why"] as const;
export type RunView = (typeof RUN_VIEWS)[number];

export interface RunSearch {
  view?: RunView;
  /** Event filters; absent if all events are shown. */
  show?: Facet[];
  /** Whether the timeline lists every event; absent if it shows turns. */
  rows?: "events";
  /** The search text of the timeline. */
  q?: string;
  /** Ids of the children whose timelines are expanded. */
  open?: string[];
  /** Pinned events as `<run>:<seq>`. */
  pin?: string[];
  tree?: "closed";
  /** Whether the details are open. If absent, the details are open on a wide screen or while an event is selected. */
  details?: "open" | "closed";
  /** Journal position of a past moment; absent for the present. */
  at?: number;
  /** The open tab of the details panel; absent if it is the result tab. */
  tab?: PanelTab;
  /** Conversation filters: by kind, and by text. */
  talk?: TalkKind;
  words?: string;
  /** Unit of the budget view. If absent, the view uses money if a cost is limited or known, and tokens otherwise. */
  unit?: "cost" | "tokens";
}

const MAX_PINS = 2;

export function parseRunSearch(search: Params): RunSearch {
  const { q, at } = search;
  const tab = oneOf(Object.keys(PANEL_TABS) as PanelTab[], search["tab"]);
  const talk = oneOf(TALK_KINDS, search["talk"]);
  const isPinnable = (ref: string) => parseEventRef(ref) !== undefined;
  return omitUndefined({
    view: oneOf(RUN_VIEWS, search["view"]),
    show: unlessEmpty(FACETS.filter((facet) => texts(search["show"]).includes(facet))),
    rows: oneOf(["events"] as const, search["rows"]),
    // The router parses a numeric search text as a number.
    q: typeof q === "number" ? String(q) : texts(q)[0],
    open: unlessEmpty(texts(search["open"])),
    pin: unlessEmpty(texts(search["pin"]).filter(isPinnable).slice(-MAX_PINS)),
    tree: oneOf(["closed"] as const, search["tree"]),
    details: oneOf(["open", "closed"] as const, search["details"]),
    at: Number.isSafeInteger(at) && Number(at) > 0 ? Number(at) : undefined,
    tab: tab === "result" ? undefined : tab,
    talk: talk === "all" ? undefined : talk,
    words: texts(search["words"])[0],
    unit: oneOf(["cost", "tokens"] as const, search["unit"]),
  });
}

const texts = (value: unknown): string[] =>
  [value].flat().filter((each): each is string => typeof each === "string" && each !== "");

const unlessEmpty = <Item>(list: Item[]): Item[] | undefined => (list.length > 0 ? list : undefined);
