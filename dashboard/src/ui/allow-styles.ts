// The server's policy allows only styles with the page's nonce. Libraries that add styles at run time look for it under
// this name.

export function allowStyles(): void {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content;
  if (nonce) Object.assign(globalThis, { __webpack_nonce__: nonce });
}
