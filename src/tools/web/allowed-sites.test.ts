import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { html, type Internet, internet } from "../../../test/support/internet.ts";
import { SiteEntry } from "../../config/hosts.ts";
import { tempWorkspace } from "../temp-workspace.fixture.ts";
import { webFetchTool } from "../web-fetch.ts";
import type { WebSettings } from "./allowed-sites.ts";

let net: Internet;
beforeAll(async () => {
  net = await internet(
    { "example.com": html("hello"), "docs.example.com": html("hello"), "wiki.corp": html("intern") },
    {
      "wiki.corp": [["127.0.0.1"]],
      "cloud.corp": [["169.254.169.254"]],
      "inside.test": [["10.1.2.3"]],
      "half.test": [["93.184.216.34", "::1"]],
      "other-half.test": [["fd12::1", "93.184.216.34"]],
      "mapped.test": [["::ffff:7f00:1"]],
      "nat64.test": [["64:ff9b::7f00:1"]],
    },
  );
});
afterAll(() => net[Symbol.asyncDispose]());

/** Fetches a page. Returns the answer and the addresses that were dialed. */
async function tryFetch(url: string, settings: Partial<WebSettings> = {}) {
  const before = net.dialed.length;
  await using folder = await tempWorkspace();
  const { output, isError } = await webFetchTool(net.access(settings)).execute({ url }, folder.context());
  return { output: output as string, isError: isError ?? false, dialed: net.dialed.slice(before) };
}

const allowPrivate = (...places: string[]) => ({ private: places.map((place) => SiteEntry.parse(place)) });

describe("[A40] [A41] private addresses are refused, however they are written", () => {
  it.each(
    `169.254.169.254/latest/meta-data 127.0.0.1 127.1 0x7f.1 2130706433 017700000001 0 0.0.0.0 ①②⑦.⓪.⓪.① %31%32%37.0.0.1 127.0.0.1. 10.0.0.1
    100.100.100.200 168.63.129.16 192.168.0.1 [::1] [::] [::ffff:169.254.169.254] [::ffff:7f00:1] [::7f00:1] [::127.0.0.1] [64:ff9b::a9fe:a9fe] [fd00:ec2::254]
    [fe80::1] [fec0::1] [2002:7f00:1::] localhost LOCALHOST localhost. a.localhost ｌocalhost metadata.google.internal metadata.google.internal. x.local printer intranet
    home.arpa inside.test mapped.test nat64.test`.split(/\s+/),
  )("the private address http://%s is refused", async (host) => {
    const { output, isError, dialed } = await tryFetch(`http://${host}`);
    expect({ isError, dialed }).toEqual({ isError: true, dialed: [] });
    expect(output).toMatch(/private/);
  });

  it("host names of private networks are never resolved", async () => {
    for (const name of ["localhost", "x.local", "printer"]) await tryFetch(`http://${name}/`);
    expect(net.lookups).not.toContain("localhost");
    expect(net.lookups).not.toContain("x.local");
    expect(net.lookups).not.toContain("printer");
  });

  it("[A43] a host name with one private address among public ones is refused", async () => {
    for (const name of ["half.test", "other-half.test"]) {
      const { output, dialed } = await tryFetch(`https://${name}/`);
      expect(output).toMatch(/has the address (::1|fd12::1), which is private/);
      expect(dialed).toEqual([]);
    }
  });

  it("a host name that ends with several dots is refused", async () => {
    for (const url of ["http://localhost../", "http://example.com../"]) {
      const { isError, dialed } = await tryFetch(url);
      expect({ isError, dialed }).toEqual({ isError: true, dialed: [] });
    }
  });
});

describe("private sites that a person has allowed", () => {
  it("a private site is reached only by the allowed name or address, and on the allowed port", async () => {
    const place = allowPrivate(`wiki.corp:${net.port}`);
    expect((await tryFetch(`http://wiki.corp:${net.port}/`, place)).output).toContain("intern");
    expect((await tryFetch(`http://127.0.0.1:${net.port}/`, place)).output).toMatch(/is private/);
    expect((await tryFetch("http://wiki.corp/", place)).output).toMatch(/is private/);
    const loopback = allowPrivate(`127.0.0.1:${net.port}`);
    expect((await tryFetch(`http://127.0.0.1:${net.port}/`, loopback)).output).toContain("canary");
    expect((await tryFetch(`http://127.0.0.1:${net.port + 1}/`, loopback)).dialed).toEqual([]);
    expect((await tryFetch(`http://127.0.0.1:6379/`, allowPrivate("127.0.0.0/8"))).output).toMatch(
      /not from 6379/,
    );
    const range = await tryFetch(`http://10.1.2.3/`, allowPrivate("10.1.0.0/16"));
    expect(range.dialed).toEqual(["10.1.2.3:80"]);
  });

  it("[A40] Cadre's own port is refused even if loopback is allowed", async () => {
    const api = createServer((_, response) => response.end("{}"));
    await new Promise<void>((ready) => api.listen(0, "127.0.0.1", ready));
    const { port } = api.address() as AddressInfo;
    try {
      await using folder = await tempWorkspace();
      const access = {
        ...net.access(allowPrivate(`127.0.0.1:${port}`, `localhost:${port}`, "wiki.corp")),
        ownPort: port,
      };
      for (const host of ["127.0.0.1", "[::ffff:7f00:1]", "0.0.0.0"]) {
        const url = `http://${host}:${port}/api/runs`;
        const { output } = await webFetchTool(access).execute({ url }, folder.context());
        expect(output).toMatch(/Cadre's own interface/);
      }
      const free = { ...access, ownPort: 1 };
      const url = `http://127.0.0.1:${port}/`;
      expect((await webFetchTool(free).execute({ url }, folder.context())).isError).toBeUndefined();
    } finally {
      api.close();
    }
  });

  it("[A40] allowing a host name does not allow link-local or cloud metadata addresses behind it", async () => {
    const { output, dialed } = await tryFetch("http://cloud.corp/", allowPrivate("cloud.corp"));
    expect(output).toMatch(/169\.254\.169\.254, which is private/);
    expect(dialed).toEqual([]);
  });
});

describe("[A45] the lists `allow` and `deny`", () => {
  const allow = { allow: ["example.com"] };

  it.each([
    "https://example.com/",
    "https://docs.example.com/",
    "https://EXAMPLE.com./",
    // The URL parser and Cadre both read a backslash as a slash, so the host is example.com.
    "http://example.com\\@evil.test/",
  ])("a rule for example.com allows %s", async (url) => {
    expect((await tryFetch(url, allow)).isError).toBe(false);
  });

  it.each([
    "https://example.com.evil.test/",
    "https://evil-example.com/",
    "https://example.com@evil.test/",
    "https://example.com:x@evil.test/",
    "https://evil.test/example.com",
    "https://evil.test#example.com",
    "https://com/",
    "https://example.co/",
    "https://xample.com/",
    "https://example.com%2eevil.test/",
    "https://exаmple.com/",
  ])("a rule for example.com does not allow %s", async (url) => {
    const { isError, dialed, output } = await tryFetch(url, allow);
    expect({ isError, dialed }).toEqual({ isError: true, dialed: [] });
    expect(output).toMatch(/web\.allow|user name or a password/);
  });

  it("`deny` overrides `allow` and covers subdomains", async () => {
    for (const url of ["https://example.com/", "https://docs.example.com/", "https://Example.COM./"]) {
      const { output, dialed } = await tryFetch(url, { ...allow, deny: ["example.com"] });
      expect(output).toMatch(/denied by web\.deny/);
      expect(dialed).toEqual([]);
    }
  });
});

describe("[A47] only http, https and common web ports are allowed", () => {
  it.each([
    "file:///etc/passwd",
    "data:text/html,x",
    "ftp://example.com/",
    "view-source:http://example.com/",
    "javascript:alert(1)",
    "gopher://example.com/",
    "ws://example.com/",
    "blob:http://example.com/x",
    "//example.com",
    "example.com",
    "",
  ])("an address with another scheme is refused: %s", async (url) => {
    const { isError, dialed } = await tryFetch(url);
    expect({ isError, dialed }).toEqual({ isError: true, dialed: [] });
  });

  it.each([22, 25, 110, 3306, 5432, 6379, 9200, 11211, 27017, 1, 65535])(
    "port %i is refused",
    async (port) => {
      const { output, dialed } = await tryFetch(`http://example.com:${port}/`);
      expect(output).toMatch(/Pages are read from the ports/);
      expect(dialed).toEqual([]);
    },
  );

  it.each(["http://example.com:8080/", "https://example.com:8443/"])(
    "the address %s is allowed",
    async (url) => {
      expect((await tryFetch(url)).isError).toBe(false);
    },
  );

  it("an address with a user name or password is refused", async () => {
    const { output, dialed } = await tryFetch("https://me:secret@example.com/");
    expect(output).toMatch(/user name or a password/);
    expect(dialed).toEqual([]);
  });
});
