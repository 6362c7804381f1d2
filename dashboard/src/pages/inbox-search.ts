// U20: the URL state of the inbox.

export interface InboxSearch {
  /** Id of the selected request. */
  item?: string;
  /** U28: answers it together with similar ones. */
  together?: true;
}

export function parseInboxSearch({ item, together }: Record<string, unknown>): InboxSearch {
  if (typeof item !== "string" || item === "") return {};
  return together === true ? { item, together } : { item };
}
