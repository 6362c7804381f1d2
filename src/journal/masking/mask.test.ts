import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { shapesOnly } from "./mask.fixture.ts";
import { createMask, type Mask } from "./mask.ts";

const SECRET = "k7!Qz/9\"w+Lp's\\4vT";
const mask = maskOf({ KEY: SECRET });

function maskOf(secrets: Record<string, string>): Mask {
  const list = Object.entries(secrets).map(([name, value]) => ({ name, value }));
  return createMask({ list: () => list, hasChanged: () => false });
}

/** The pieces of text that a stream emits if it gets `text` in pieces of these lengths. */
function streamInPieces(by: Mask, text: string, lengths: readonly number[]): string[] {
  const heard: string[] = [];
  const stream = by.stream((piece) => heard.push(piece));
  let from = 0;
  for (const length of lengths) {
    stream.add(text.slice(from, from + length));
    from += length;
  }
  stream.add(text.slice(from));
  stream.end();
  return heard;
}

const bytes = Buffer.from(SECRET);
const forms: Record<string, string> = {
  "as it is": SECRET,
  "inside JSON": JSON.stringify({ a: SECRET }),
  "inside JSON inside JSON": JSON.stringify(JSON.stringify([SECRET])),
  "in an address": `https://evil.test/?d=${encodeURIComponent(SECRET)}&x`,
  "in an address, in small letters": encodeURIComponent(SECRET).replace(/%../g, (code) => code.toLowerCase()),
  "in a form": new URLSearchParams({ d: SECRET }).toString(),
  "in a page": `<b>${SECRET.replaceAll('"', "&quot;").replaceAll("'", "&#39;")}</b>`,
  "in JSON of careful writers": "k7!Qz/9\\u0022w\\u002BLp\\u0027s\\\\4vT",
  "in an address of an address": encodeURIComponent(encodeURIComponent(SECRET)),
  "as a path of an address": encodeURI(SECRET),
  "in a page, as an attribute": SECRET.replaceAll('"', "&#34;").replaceAll("'", "&apos;"),
  "in a shell": SECRET.replaceAll("'", "'\\''"),
  "in a shell, by shlex": SECRET.replaceAll("'", `'"'"'`),
  "as Node shows it": inspect({ a: SECRET }),
  "in JSON in base64": Buffer.from(JSON.stringify({ a: SECRET })).toString("base64"),
  "in base64": bytes.toString("base64"),
  "in base64 after one byte": Buffer.from(`x${SECRET}yz`).toString("base64"),
  "in base64 after two bytes": Buffer.from(`xy${SECRET}z`).toString("base64"),
  "in base64 for addresses": Buffer.from(`>>>${SECRET}???`).toString("base64url"),
  "in hexadecimal": `0x${bytes.toString("hex")}`,
  "in large hexadecimal": bytes.toString("hex").toUpperCase(),
};

describe("[A61] masking finds a secret by its value", () => {
  test.each(Object.entries(forms))("a secret is masked in this form: %s", (_, text) => {
    const masked = mask.text(`before ${text} after`);
    expect(masked).toContain("⟦secret KEY⟧");
    expect(masked).toMatch(/^before .* after$/s);
    for (const form of Object.values(forms)) expect(masked).not.toContain(form);
  });

  test.each([57, 45, 3])(
    "a secret in base64 is masked when it is wrapped over several lines, after %i bytes",
    (before) => {
      const file = Buffer.from(`${"a".repeat(before)}${SECRET}${"b".repeat(100)}`).toString("base64");
      for (const width of [76, 64, 60]) {
        const lines = file.match(new RegExp(`.{1,${width}}`, "g"))!;
        const numbered = lines.map((line, index) => `${index + 1}\t${line}`).join("\n");
        for (const text of [lines.join("\n"), lines.join("\r\n"), numbered])
          expect(mask.text(text), text).toContain("⟦secret KEY⟧");
      }
    },
  );

  test("each line of a multi-line secret is masked, even if the lines appear separately", () => {
    const key = "first line of the key\nsecond line of the key";
    expect(maskOf({ KEY: key }).text("1\tfirst line of the key\n2\tsecond line of the key")).toBe(
      "1\t⟦secret KEY⟧\n2\t⟦secret KEY⟧",
    );
  });

  test("if several secrets begin with the same characters, the longest secret that matches is masked", () => {
    const both = maskOf({ SHORT: "abcdefgh", LONG: "abcdefgh-ijkl" });
    expect(both.text("abcdefgh-ijkl abcdefgh-x")).toBe("⟦secret LONG⟧ ⟦secret SHORT⟧-x");
  });

  test("if shortening a text cuts a secret, both remaining parts of the secret are masked", () => {
    for (const at of [8, 9, SECRET.length - 8]) {
      const [start, end] = [SECRET.slice(0, at), SECRET.slice(at)];
      const short = `it is ${start}\n… 99 characters left out …\n${end} there`;
      expect(mask.text(short)).toBe("it is ⟦secret KEY⟧\n… 99 characters left out …\n⟦secret KEY⟧ there");
      expect(mask.text(`${start}… (9 more characters)`)).toBe("⟦secret KEY⟧… (9 more characters)");
    }
    expect(mask.text("wait… and see…")).toBe("wait… and see…");
  });

  test("[R1] masking returns the same string or object if it contains no secret", () => {
    const value = { a: ["text", 1, null, { b: true }], c: "more text" };
    expect(mask.value(value)).toBe(value);
    const event = { list: [{ text: "nothing" }, { text: `it is ${SECRET}` }], [SECRET]: 1 };
    const masked = mask.value(event);
    expect(masked).toEqual({
      list: [{ text: "nothing" }, { text: "it is ⟦secret KEY⟧" }],
      "⟦secret KEY⟧": 1,
    });
    expect(masked.list[0]).toBe(event.list[0]);
  });

  test("[R2] masking a second time changes nothing, even if a secret occurs in the text of a mark", () => {
    const odd = maskOf({ MY_PASSWORD: "PASSWORD", OTHER: "secret MY", KEY: SECRET });
    const once = odd.text(`PASSWORD ${SECRET}`);
    expect(odd.text(once)).toBe(once);
    expect(once).toBe("PASSWORD ⟦secret KEY⟧");
  });

  test("[A57] the key __proto__ stays an ordinary key", () => {
    const value = mask.value(JSON.parse(`{"__proto__": {"admin": ${JSON.stringify(SECRET)}}}`));
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"admin":"⟦secret KEY⟧"}}');
  });

  test("any secret is masked in any text, at any position", () => {
    const value = fc.string({ minLength: 8, maxLength: 40, unit: "grapheme" });
    fc.assert(
      fc.property(value, fc.string(), fc.string(), (secret, before, after) => {
        fc.pre(!"⟦secret KEY⟧".includes(secret));
        const one = maskOf({ KEY: secret });
        for (const text of [before + secret + after, before + JSON.stringify(secret) + after])
          expect(one.text(text)).toContain("⟦secret KEY⟧");
      }),
    );
  });
});

describe("[A61] [R3] a secret that arrives in pieces", () => {
  test("a stream never emits part of a secret, wherever the pieces are cut", () => {
    const text = `the key is ${SECRET}, said it`;
    for (let cut = 1; cut < text.length; cut++) {
      const heard = streamInPieces(mask, text, [cut]);
      expect(heard.join(""), `cut at ${cut}`).toBe("the key is ⟦secret KEY⟧, said it");
    }
    expect(streamInPieces(mask, text, Array(text.length).fill(1)).join("")).toBe(
      "the key is ⟦secret KEY⟧, said it",
    );
  });

  test("a stream does not delay text that cannot be part of a secret", () => {
    expect(streamInPieces(mask, "Hello world", [5])).toEqual(["Hello", " world"]);
  });

  test("if the stream ends with only the first part of a secret, that part is emitted at the end", () => {
    expect(streamInPieces(mask, `it began ${SECRET.slice(0, 7)}`, [4]).join("")).toBe(
      `it began ${SECRET.slice(0, 7)}`,
    );
  });

  test("a stream keeps a secret in one piece even if another secret could begin inside that secret", () => {
    const both = maskOf({ ONE: "abcdefghij", TWO: "ijklmnopqr" });
    const text = "x abcdefghij y";
    for (let cut = 1; cut < text.length; cut++)
      expect(streamInPieces(both, text, [cut]).join(""), `cut at ${cut}`).toBe("x ⟦secret ONE⟧ y");
  });

  test("no form of a secret gets through a stream, whole or in pieces", () => {
    const texts = fc.array(fc.oneof(fc.string(), fc.constantFrom(...Object.values(forms))), { maxLength: 5 });
    const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 60 });
    fc.assert(
      fc.property(texts, cuts, (parts, lengths) => {
        const heard = streamInPieces(mask, parts.join(" "), lengths).join("");
        for (const form of Object.values(forms)) expect(heard).not.toContain(form);
      }),
    );
  });
});

const TOKENS = {
  "api-key": ["sk-ant-api03-", "AbCd1234efGh5678ijKl9012"].join(""),
  "github-token": ["ghp_", "abcdefghijklmnopqrstuvwxyz0123456789"].join(""),
  "aws-key": ["AKIA", "IOSFODNN7EXAMPLE"].join(""),
  "slack-token": ["xoxb-", "123456789012-abcdefghijkl"].join(""),
  "private-key": ["-----BEGIN RSA PRIVATE ", "KEY-----\nMIIEow+/=\nabc\n-----END RSA PRIVATE KEY-----"].join(
    "",
  ),
};

describe("[A61] tokens in well-known formats", () => {
  const shapes = shapesOnly();

  test.each(Object.entries(TOKENS))(
    "a token of the format %s is masked, whole and in pieces",
    (name, token) => {
      expect(shapes.text(`see ${token}, ok`)).toBe(`see ⟦secret ${name}⟧, ok`);
      for (let cut = 1; cut < token.length + 6; cut++)
        expect(streamInPieces(shapes, `see ${token}, ok`, [cut]).join("")).toBe(`see ⟦secret ${name}⟧, ok`);
    },
  );

  test("if a private key is cut off, it is masked up to the end of the text", () => {
    const cut = TOKENS["private-key"].slice(0, 45);
    expect(shapes.text(`x ${cut}`)).toBe("x ⟦secret private-key⟧");
  });

  test.each([
    "task-list-of-the-day-and-more-words-here",
    "sk-learn is a library",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "use ghp_ tokens, AKIA… or sk-ant- keys",
    "risk-analysis-of-everything-there-is-in-this-place",
  ])("%s is not masked as a token", (text) => {
    expect(shapes.text(text)).toBe(text);
    expect(streamInPieces(shapes, text, [9, 9]).join("")).toBe(text);
  });
});

test("a refresh reads the secrets again only if they have changed", () => {
  let secrets = [{ name: "OLD", value: "old-value-1" }];
  let changed = false;
  const live = createMask({ list: () => secrets, hasChanged: () => changed });
  const event = { text: "new-value-2" };
  expect(live.value(event)).toBe(event);
  secrets = [{ name: "NEW", value: "new-value-2" }];
  live.refresh();
  expect(live.value(event)).toBe(event);
  changed = true;
  live.refresh();
  expect(live.value(event)).toEqual({ text: "⟦secret NEW⟧" });
});

describe("[A61] a folder's .env cannot mask the journal's own field names", () => {
  test.each(["untrusted", "ntrusted", "ancestors", "permissions", "TOOL_RESULT", "workspace"])(
    "%s is a field name or enum value of the journal and is not masked",
    (value) => {
      const event = {
        type: "TOOL_RESULT",
        payload: { untrusted: "evil.test", ancestors: [], permissions: {} },
      };
      expect(maskOf({ X_TOKEN: value }).value(event)).toBe(event);
    },
  );
});

describe("[A54] [A61] texts crafted to be slow to mask", () => {
  const many = maskOf(
    Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`S${index}_TOKEN`, randomBytes(24).toString("base64")]),
    ),
  );
  const wrapped = randomBytes(750_000)
    .toString("base64")
    .match(/.{1,76}/g)!
    .join("\n");
  const hard: Record<string, string> = {
    "base64 over many lines": wrapped,
    "many beginnings of keys": "-----BEGIN PRIVATE KEY-----\nab".repeat(30_000),
    "many beginnings of blocks": "-----BEGIN A A A A A A A A ".repeat(30_000),
    "many beginnings of tokens": "sk-ant-".repeat(100_000),
  };
  test("masking with a .env file of 10,000 secrets takes little time", () => {
    const from = performance.now();
    const list = Array.from({ length: 10_000 }, (_, index) => ({
      name: `V${index}_KEY`,
      value: `${index}-value/x`,
    }));
    const by = createMask({ list: () => list, hasChanged: () => false });
    expect(by.text("it is 4711-value/x")).toBe("it is ⟦secret V4711_KEY⟧");
    expect(performance.now() - from).toBeLessThan(6_000);
  });

  // Masking blocks the whole process. A careless implementation would take ten seconds to minutes for these texts.
  test.each(Object.entries(hard))("masking takes little time: %s, a megabyte with 50 secrets", (_, text) => {
    const from = performance.now();
    many.text(text);
    streamInPieces(
      many,
      text.slice(0, 100_000),
      Array.from({ length: 25 }, () => 4_096),
    );
    expect(performance.now() - from).toBeLessThan(2_000);
  });
});
