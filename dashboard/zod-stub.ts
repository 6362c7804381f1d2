// Stands in for zod in the page's bundle. Declarations that the page shares with the server hold schemas next to their
// words (a pattern's edges, an event's kinds). The page reads the words and never validates, so every schema may be this
// one placeholder, and 60 kB of code are not loaded.

const placeholder: unknown = new Proxy(() => {}, {
  get: () => placeholder,
  apply: () => placeholder,
});

export const z = placeholder;
