/** The names stand above it. */
export const stripPatchHeader = (patch: string): string =>
  patch
    .replace(/^Index: .*\n/, "")
    .replace(/^=+\n/, "")
    .trimEnd();
