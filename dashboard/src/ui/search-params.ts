// Parses the search parameters of a URL. The parameters can contain anything.

export type Params = Record<string, unknown>;

/** A parameter as text; undefined if it is absent, empty or not a string. */
export const textParam = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;

/** A parameter as one of the allowed values; undefined if its value is not allowed. */
export const oneOf = <Value>(allowed: readonly Value[], value: unknown): Value | undefined =>
  allowed.find((each) => each === value);
