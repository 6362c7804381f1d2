// Replaces zod in the page's bundle.
// Some modules that the page shares with the server declare schemas next to their texts (a pattern's edges, an event's kinds).
// The page uses only the texts, so every schema is this one placeholder. This saves
// 60 kB of code.

const placeholder: unknown = new Proxy(() => {}, {
  get: () => placeholder,
  apply: () => placeholder,
});

export const z = placeholder;
