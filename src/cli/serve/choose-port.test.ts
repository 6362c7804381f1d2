// Tests how `cadre up` finds a port if another program uses the usual one.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { nextFreePort } from "./choose-port.ts";

test.each([
  ['{"status":"ok"}', "the Cadre of another folder"],
  ["hello", "another program"],
])(
  "[26.5] if another program uses the usual port, Cadre names the program and takes the next free port (%s)",
  async (body, who) => {
    const other = createServer((_, response) => response.end(body)).listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    try {
      const next = await nextFreePort("127.0.0.1", port);
      expect(next.port).toBeGreaterThan(port);
      expect(next.taken).toBe(`Port ${port} is used by ${who}: this is port ${next.port}.`);
      const named = await nextFreePort("127.0.0.1", port, async () => "/home/ann/shop");
      expect(named.taken).toContain(`is used by ${who.replace("another folder", "/home/ann/shop")}: `);
    } finally {
      other.close();
    }
    await once(other, "close");
    expect(await nextFreePort("127.0.0.1", port)).toEqual({ port });
  },
);
