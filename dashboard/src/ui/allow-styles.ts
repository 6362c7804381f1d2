// The door allows only styles that carry the page's nonce. Libraries that add some at run time look for it under this
// name, whatever bundler is used.

export function allowStyles(): void {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content;
  if (nonce) Object.assign(globalThis, { __webpack_nonce__: nonce });
}
