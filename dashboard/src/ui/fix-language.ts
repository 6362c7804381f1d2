// A browser under the POSIX locale calls its language `en-US@posix`, which Intl refuses. Libraries that ask for it while
// they are loaded would not load at all.

export function fixLanguage(): void {
  try {
    new Intl.NumberFormat(navigator.language);
  } catch {
    Object.defineProperty(navigator, "language", { value: "en-US", configurable: true });
  }
}
