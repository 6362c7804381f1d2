import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { refetchQueries } from "./query-client.ts";

test("[U19] a change during the first request triggers another request", async () => {
  const { asks, news, shown } = page();
  news();
  asks[0]?.("nothing waits");
  await expect.poll(() => asks.length).toBe(2);
  asks[1]?.("one waits");
  await expect.poll(shown).toBe("one waits");
});

test("[U19] after many changes during a request, the page shows the request's answer and makes one more request", async () => {
  const { asks, news, shown } = page();
  asks[0]?.("first");
  await expect.poll(shown).toBe("first");
  news();
  await expect.poll(() => asks.length).toBe(2);
  for (let n = 0; n < 20; n++) news();
  asks[1]?.("second");
  await expect.poll(() => asks.length).toBe(3);
  expect(shown()).toBe("second");
  asks[2]?.("third");
  await expect.poll(shown).toBe("third");
  expect(asks).toHaveLength(3);
});

/** A page with one query. The test releases the answers to the query one by one. */
function page() {
  const client = new QueryClient();
  const asks: ((words: string) => void)[] = [];
  const observer = new QueryObserver(client, {
    queryKey: ["approvals"],
    queryFn: () => new Promise<string>((resolve) => asks.push(resolve)),
  });
  observer.subscribe(() => undefined);
  return {
    asks,
    news: () => refetchQueries(client, { queryKey: ["approvals"] }),
    shown: () => observer.getCurrentResult().data,
  };
}
