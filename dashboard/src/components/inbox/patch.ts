/** The names stand above it. */
export const withoutBanner = (patch: string): string =>
  patch
    .replace(/^Index: .*\n/, "")
    .replace(/^=+\n/, "")
    .trimEnd();
