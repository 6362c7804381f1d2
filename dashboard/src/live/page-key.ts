// Adds the page key to requests. The server accepts the browser's cookie only together with this key.

import { PAGE_KEY_HEADER, PAGE_KEYS } from "../../../src/api/client/page-key.ts";

export const fetchWithKey: typeof fetch = (url, init = {}) => {
  const headers = new Headers(init.headers);
  const keys = localStorage.getItem(PAGE_KEYS);
  if (keys !== null) headers.set(PAGE_KEY_HEADER, keys);
  return fetch(url, { ...init, headers });
};
