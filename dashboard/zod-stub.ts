// Replaces zod in the page's bundle. Some modules that the page shares with the server declare schemas next to texts and
// functions (a pattern's edges, the parts of a message). The page uses no schema, so every schema is this one placeholder.
// This saves 60 kB of code.

const placeholder: unknown = new Proxy(() => {}, {
  get: () => placeholder,
  apply: () => placeholder,
});

export const z = placeholder;
