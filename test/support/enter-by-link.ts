// Opens a sign-in link as the page of the link does.

import { PAGE_KEY_HEADER } from "../../src/api/client/page-key.ts";

/** Redeems the link. Returns the headers of the browser's later requests. */
export async function enterByLink(link: string): Promise<{ cookie: string; [PAGE_KEY_HEADER]: string }> {
  const answer = await fetch(link, { method: "POST" });
  const [set] = answer.headers.getSetCookie();
  if (set === undefined) throw new Error(`The link gave no cookie: ${answer.status} ${await answer.text()}`);
  const { pageKey } = (await answer.json()) as { pageKey: string };
  return { cookie: set.split(";")[0]!, [PAGE_KEY_HEADER]: pageKey };
}
