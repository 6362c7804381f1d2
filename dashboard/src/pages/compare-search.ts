import { omitUndefined } from "../../../src/omit-undefined.ts";
import { textParam } from "../ui/search-params.ts";

/** The ids of the two runs to compare. */
export interface CompareSearch {
  a?: string;
  b?: string;
}

export const parseCompareSearch = (search: Record<string, unknown>): CompareSearch =>
  omitUndefined({ a: textParam(search["a"]), b: textParam(search["b"]) });
