// What of the inbox is looked at, as it stands in the address (U20).

export interface InboxSearch {
  /** The approval. */
  item?: string;
  /** It and those that are like it, at once (U28). */
  together?: true;
}

export function parseInboxSearch({ item, together }: Record<string, unknown>): InboxSearch {
  if (typeof item !== "string" || item === "") return {};
  return together === true ? { item, together } : { item };
}
