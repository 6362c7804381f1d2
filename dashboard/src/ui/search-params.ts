// Parses the search parameters of a URL, which may hold anything.

export type Params = Record<string, unknown>;

/** A parameter as text; undefined if it is absent, empty or not a string. */
export const textParam = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;

/** A parameter as one of the allowed values; undefined if it is none of them. */
export const oneOf = <Value>(allowed: readonly Value[], value: unknown): Value | undefined =>
  allowed.find((each) => each === value);
