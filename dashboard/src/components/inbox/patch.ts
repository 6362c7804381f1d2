/** A17: long lines are broken, never out of sight. */
export const wrapped =
  "overflow-hidden rounded-md border border-line [&_pre]:whitespace-pre-wrap [&_pre]:[overflow-wrap:anywhere]";

/** The names stand above it. */
export const withoutBanner = (patch: string): string =>
  patch
    .replace(/^Index: .*\n/, "")
    .replace(/^=+\n/, "")
    .trimEnd();
