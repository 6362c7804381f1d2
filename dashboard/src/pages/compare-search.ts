/** The ids of the two runs to compare. */
export interface CompareSearch {
  a?: string;
  b?: string;
}

export const parseCompareSearch = (search: Record<string, unknown>): CompareSearch => ({
  ...(typeof search["a"] === "string" && search["a"] !== "" ? { a: search["a"] } : {}),
  ...(typeof search["b"] === "string" && search["b"] !== "" ? { b: search["b"] } : {}),
});
