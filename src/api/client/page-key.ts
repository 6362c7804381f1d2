// The page key of a browser, which the page keeps in the storage of its origin (G11).

/** The header with the page keys of this origin, separated by commas. */
export const PAGE_KEY_HEADER = "X-Cadre-Page";

/** Name of the item in the storage. Servers that used the same port one after another each have a key. */
export const PAGE_KEYS = "cadre-page-keys";

export const MOST_PAGE_KEYS = 5;

/** The script of a one-time link. It runs in the browser as it is written here. */
export const OPEN_SCRIPT = `"use strict";
(async () => {
  const answer = await fetch(location.pathname, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: "{}",
  });
  if (!answer.ok) return location.reload();
  const { pageKey } = await answer.json();
  const others = (localStorage.getItem("${PAGE_KEYS}") ?? "").split(",").filter(Boolean);
  localStorage.setItem("${PAGE_KEYS}", [pageKey, ...others].slice(0, ${MOST_PAGE_KEYS}).join(","));
  location.replace("/");
})();
`;
