// Under the POSIX locale a browser reports its language as `en-US@posix`, which Intl rejects. Libraries that use it at
// load time would fail to load.

export function fixLanguage(): void {
  try {
    new Intl.NumberFormat(navigator.language);
  } catch {
    Object.defineProperty(navigator, "language", { value: "en-US", configurable: true });
  }
}
