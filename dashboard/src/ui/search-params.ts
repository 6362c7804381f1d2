/** A search parameter of the URL as text; undefined if it is absent, empty or not a string. */
export const textParam = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
