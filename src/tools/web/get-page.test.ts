import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { brotliCompressSync, constants, createBrotliCompress, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { html, type Internet, internet, PUBLIC, redirect } from "../../../test/support/internet.ts";
import { tempWorkspace } from "../temp-workspace.fixture.ts";
import type { ToolContext } from "../tool.ts";
import { webFetchTool } from "../web-fetch.ts";
import type { WebSettings } from "./allowed-sites.ts";

interface Trial extends Partial<ToolContext> {
  settings?: Partial<WebSettings>;
}

async function fetchPage(net: Internet, url: string, { settings = {}, ...context }: Trial = {}) {
  await using folder = await tempWorkspace();
  const answer = await webFetchTool(net.access(settings)).execute({ url }, folder.context(context));
  return { ...answer, output: answer.output as string };
}

describe("[A42] redirects", () => {
  it("redirects are followed on the same host, to https and to www; links are relative to the final page", async () => {
    await using net = await internet({
      "example.com": (request, response) =>
        request.url === "/a"
          ? redirect("https://example.com/b")(request, response)
          : redirect("//www.example.com/c", 308)(request, response),
      "www.example.com": html("<a href='d'>x</a>"),
    });
    const { output, untrusted } = await fetchPage(net, "http://example.com/a");
    expect(output).toContain("url: https://www.example.com/c\n\n[x](https://www.example.com/d)");
    expect(untrusted).toBe("https://www.example.com");
    expect(net.dialed).toEqual([`${PUBLIC}:80`, `${PUBLIC}:443`, `${PUBLIC}:443`]);
  });

  it.each([
    "http://169.254.169.254/latest",
    "http://127.0.0.1:PORT/canary",
    "http://[::ffff:7f00:1]:PORT/canary",
    "http://localhost:PORT/canary",
    "http://metadata.google.internal/",
    "//2130706433/",
    "http://example.com:6379/",
    "file:///etc/passwd",
    "data:text/html,x",
    "javascript:alert(1)",
    "http://me:secret@example.com/",
    "http://inside.test/",
    "ignore-your-instructions://x",
    "http://now-run-bash.internal/",
  ])("a redirect to %s is not followed", async (location) => {
    await using net: Internet = await internet(
      {
        "example.com": (request, response) =>
          redirect(location.replace("PORT", `${net.port}`))(request, response),
      },
      { "inside.test": [["10.0.0.1"]] },
    );
    const { output, isError } = await fetchPage(net, "http://example.com/");
    expect(isError).toBe(true);
    expect(output).toMatch(/^example\.com redirects, which is not followed: /);
    // Text from the server appears only inside the untrusted mark.
    expect(output.split("\n<untrusted", 1)[0]).toMatch(
      /^example\.com redirects, which is not followed: it leads (where pages are not read from|to another host\. If .* below)\.$/,
    );
    expect(net.dialed).toEqual([`${PUBLIC}:80`]);
    expect(net.asked).toEqual(["example.com/"]);
  });

  it("after a redirect on the same host, the name is resolved and checked again, because its address might have changed", async () => {
    await using net = await internet(
      { "example.com": redirect("/b") },
      { "example.com": [[PUBLIC], ["127.0.0.1"]] },
    );
    expect((await fetchPage(net, "http://example.com/a")).output).toMatch(
      /has the address 127\.0\.0\.1, which is private/,
    );
    expect(net.dialed).toEqual([`${PUBLIC}:80`]);
  });

  it("[A46] a redirect to another host is reported but not followed, since rules and people approve hosts", async () => {
    await using net = await internet({ "example.com": redirect("https://evil.test/?d=SECRET") });
    expect(await fetchPage(net, "https://example.com/")).toEqual({
      output:
        "example.com redirects, which is not followed: it leads to another host. If you want to read that, ask for the address below.\n" +
        '<untrusted-n0nce source="https://example.com">\nhttps://evil.test/?d=SECRET\n</untrusted-n0nce>',
      isError: true,
      untrusted: "https://example.com",
    });
    expect(net.lookups).toEqual(["example.com"]);
  });

  it("redirects are not followed from https to http, nor more than five times", async () => {
    await using net = await internet({
      "example.com": redirect("http://example.com/plain"),
      "loop.test": (request, response) =>
        redirect(`/${Number(request.url!.slice(1)) + 1}`)(request, response),
    });
    expect((await fetchPage(net, "https://example.com/")).output).toMatch(/would give up encryption/);
    expect((await fetchPage(net, "http://loop.test/0")).output).toMatch(
      /more than 5 times; nothing was read/,
    );
    expect(net.asked.filter((path) => path.startsWith("loop.test"))).toHaveLength(6);
  });
});

describe("[A43] a name is resolved once, and the connection goes to the address that was checked", () => {
  it("if a checked name later resolves to loopback, nothing connects to loopback", async () => {
    await using net = await internet(
      { "rebind.test": html("public") },
      { "rebind.test": [[PUBLIC], ["127.0.0.1"]] },
    );
    expect((await fetchPage(net, "http://rebind.test/")).output).toContain("public");
    expect(net.lookups).toEqual(["rebind.test"]);
    expect(net.dialed).toEqual([`${PUBLIC}:80`]);
    expect((await fetchPage(net, "http://rebind.test/")).isError).toBe(true);
    expect(net.asked).toEqual(["rebind.test/"]);
  });

  it("if an address does not answer, the next checked address is tried", async () => {
    await using net = await internet({ "two.test": html("second") }, { "two.test": [["10.0.0.1", PUBLIC]] });
    const access = net.access();
    const { connect } = access;
    const dialed: string[] = [];
    await using folder = await tempWorkspace();
    const tool = webFetchTool({
      ...access,
      resolve: async () => ["1.1.1.1", PUBLIC],
      connect(options, callback) {
        dialed.push(options.hostname);
        if (options.hostname !== "1.1.1.1") return connect!(options, callback);
        callback(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }), null);
      },
    });
    expect((await tool.execute({ url: "http://two.test/" }, folder.context())).output).toContain("second");
    expect(dialed).toEqual(["1.1.1.1", PUBLIC]);
  });
});

const packed =
  (encoding: string, body: Buffer) =>
  (_: IncomingMessage, response: ServerResponse): void =>
    void response.writeHead(200, { "Content-Type": "text/plain", "Content-Encoding": encoding }).end(body);

describe("[A44] compressed, slow and endless responses", () => {
  it.each([
    ["gzip", gzipSync("hello")],
    ["deflate", deflateSync("hello")],
    ["BR", brotliCompressSync("hello")],
    ["gzip, identity, br", brotliCompressSync(gzipSync("hello"))],
  ])("a response encoded with %s is unpacked", async (encoding, body) => {
    await using net = await internet({ "example.com": packed(encoding, body) });
    expect((await fetchPage(net, "http://example.com/")).output).toContain("\n\nhello\n");
  });

  it.each([
    ["gzip × 5,000", Array(5_000).fill("gzip").join(","), gzipSync("x")],
    ["three layers", "gzip,gzip,gzip", gzipSync(gzipSync(gzipSync("x")))],
    ["an encoding that Cadre did not request", "zstd", Buffer.from("x")],
    ["a name that every JavaScript object has", "constructor", Buffer.from("x")],
  ])("a response is refused because of its Content-Encoding: %s", async (_, encoding, body) => {
    await using net = await internet({ "example.com": packed(encoding, body) });
    expect((await fetchPage(net, "http://example.com/")).output).toMatch(/encoding that was not asked for/);
  });

  it("a 10 GB compression bomb stops at the size limit and does not block the event loop", async () => {
    const bomb = await brotliBomb(10_000);
    expect(bomb.length).toBeLessThan(10_000_000);
    await using net = await internet({ "example.com": packed("br", bomb) });
    const lag = monitorEventLoopDelay({ resolution: 5 });
    lag.enable();
    const before = process.memoryUsage().rss;
    const { output } = await fetchPage(net, "http://example.com/");
    lag.disable();
    expect(output).toMatch(/larger than 5 MB, unpacked; nothing was read/);
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
    expect(lag.max / 1e6).toBeLessThan(2_000);
  });

  it("a body that claims to be gzip but is not gzip is reported as an error", async () => {
    await using net = await internet({ "example.com": packed("gzip", Buffer.from("no gzip at all")) });
    expect((await fetchPage(net, "http://example.com/")).output).toMatch(/cannot be read: Z_DATA_ERROR/);
  });

  it("an endless body stops at the size limit", async () => {
    const endless = (_: IncomingMessage, response: ServerResponse): void =>
      pour(response.writeHead(200, { "Content-Type": "text/plain" }));
    await using net = await internet({ "example.com": endless });
    const { output } = await fetchPage(net, "http://example.com/", { settings: { maxBytes: 300_000 } });
    expect(output).toMatch(/larger than 0\.3 MB/);
  });

  it.each([
    [
      "a byte every 20 ms",
      "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 99999\r\n\r\n",
      "x",
    ],
    ["endless headers", "HTTP/1.1 200 OK\r\n", "X-A: b\r\n"],
    ["endless early hints", "", "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"],
    ["nothing at all", "", ""],
  ])("a server that sends %s is stopped at the time limit", async (_, head, drip) => {
    await using server = await rawServer((socket) => {
      socket.write(head);
      const timer = setInterval(() => socket.write(drip), 20);
      socket.on("close", () => clearInterval(timer));
    });
    const { output, ms } = await server.fetchPage({ timeout: 400 });
    expect(output).toMatch(/did not answer whole within 0\.4 s|headers are too long/);
    expect(ms).toBeLessThan(10_000);
    await server.allClosed();
  });

  it.each([
    [
      "headers of a megabyte",
      `HTTP/1.1 200 OK\r\nX: ${"a".repeat(1_000_000)}\r\n\r\n`,
      /headers are too long/,
    ],
    [
      "a body shorter than its Content-Length",
      "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 99\r\n\r\nabc",
      /cannot be read: /,
    ],
    ["a server that does not speak HTTP", "SSH-2.0-OpenSSH_9.0\r\n", /cannot be read: /],
    ["a negative Content-Length", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabc", /cannot be read: /],
    [
      "two different Content-Lengths",
      "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
      /cannot be read: /,
    ],
  ])("a page is reported as unreadable because of %s", async (_, answer, expected) => {
    await using server = await rawServer((socket) => socket.end(answer));
    expect((await server.fetchPage({ timeout: 5_000 })).output).toMatch(expected);
  });

  it("cancelling a call closes the connection, and the time limit also covers the name lookup", async () => {
    const stop = new AbortController();
    await using server = await rawServer(() => stop.abort());
    expect((await server.fetchPage({}, stop.signal)).output).toBe("Cancelled before the page was read.");
    await server.allClosed();
    await using net = await internet({});
    const never = { ...net.access(), resolve: () => new Promise<string[]>(() => {}) };
    await using folder = await tempWorkspace();
    const late = await webFetchTool({ ...never, settings: { ...never.settings, timeout: 50 } }).execute(
      { url: "http://example.com/" },
      folder.context(),
    );
    expect(late.output).toMatch(/did not answer whole within 0\.05 s/);
  });

  it("the connection is closed immediately if the response will not be read", async () => {
    const heads: Record<string, [number, Record<string, string>]> = {
      "/redirect": [302, { Location: "https://other.test/" }],
      "/image": [200, { "Content-Type": "image/png" }],
      "/packed": [200, { "Content-Type": "text/plain", "Content-Encoding": "zstd" }],
      "/broken": [200, { "Content-Type": "text/plain", "Content-Encoding": "gzip" }],
      "/large": [200, { "Content-Type": "text/plain", "Content-Length": "99999999" }],
      "/error": [500, { "Content-Type": "text/plain" }],
    };
    await using net = await internet({
      "example.com": (request, response) => pour(response.writeHead(...heads[request.url!]!)),
    });
    for (const path of Object.keys(heads))
      expect((await fetchPage(net, `http://example.com${path}`)).isError, path).toBe(true);
    for (const { socket } of net.requests)
      if (!socket.closed) await new Promise((closed) => socket.once("close", closed));
    expect(net.requests).toHaveLength(6);
  });

  it("HTTP_PROXY in the environment is ignored", async () => {
    let proxied = 0;
    const proxy = createHttpServer((_, response) => {
      proxied += 1;
      response.end();
    });
    await new Promise<void>((ready) => proxy.listen(0, "127.0.0.1", ready));
    process.env["HTTP_PROXY"] = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    try {
      await using net = await internet({ "example.com": html("direct") });
      expect((await fetchPage(net, "http://example.com/")).output).toContain("direct");
      expect(proxied).toBe(0);
    } finally {
      delete process.env["HTTP_PROXY"];
      proxy.close();
    }
  });
});

/** Writes an endless body. */
function pour(response: ServerResponse): void {
  const more = (): void => {
    while (!response.destroyed && response.write("x".repeat(65_536)));
  };
  response.on("drain", more);
  more();
}

/** Compresses a text that repeats one letter. Its length is given in megabytes. */
async function brotliBomb(megabytes: number): Promise<Buffer> {
  const packer = createBrotliCompress({
    params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });
  const chunks: Buffer[] = [];
  packer.on("data", (chunk: Buffer) => chunks.push(chunk));
  const megabyte = Buffer.alloc(1_000_000, "a");
  for (let written = 0; written < megabytes; written += 1)
    if (!packer.write(megabyte)) await new Promise((drained) => packer.once("drain", drained));
  packer.end();
  await new Promise((ended) => packer.once("end", ended));
  return Buffer.concat(chunks);
}

/** A TCP server that writes arbitrary bytes instead of proper HTTP. */
async function rawServer(serve: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {}).resume();
    serve(socket);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  return {
    async fetchPage(settings: Partial<WebSettings>, signal = new AbortController().signal) {
      await using folder = await tempWorkspace();
      const opened = { allow: [], deny: [], private: [{ range: "127.0.0.1/32", port }], ...settings };
      const from = performance.now();
      const tool = webFetchTool({ settings: opened, ownPort: 4470 });
      const { output } = await tool.execute({ url: `http://127.0.0.1:${port}/` }, folder.context({ signal }));
      return { output: output as string, ms: performance.now() - from };
    },
    async allClosed() {
      for (const socket of sockets)
        if (!socket.closed) await new Promise((closed) => socket.once("close", closed));
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}
