/** Removes the header lines of a patch; the file name is already shown above it. */
export const stripPatchHeader = (patch: string): string =>
  patch
    .replace(/^Index: .*\n/, "")
    .replace(/^=+\n/, "")
    .trimEnd();
