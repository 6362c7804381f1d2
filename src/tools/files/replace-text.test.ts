import { expect, test } from "vitest";
import { replaceText } from "./replace-text.ts";

const edit = (text: string, old_string: string, new_string: string) =>
  replaceText(text, { old_string, new_string });

test.each([
  ["blanks at line ends", "alpha  \nbeta\n", "alpha\nbeta", "x", "x\n"],
  ["typographic quotes", "it’s “here”\n", `it's "here"`, "it is", "it is\n"],
  [
    "tabs for blanks",
    'if (a) {\n\tb("hi");\n}\n',
    '    b("hi");',
    '    b("ho");',
    'if (a) {\n\tb("ho");\n}\n',
  ],
  [
    "a wrong indentation",
    "  def f():\n    return 1\n",
    "def f():\n  return 1",
    "def f():\n  return 2",
    "  def f():\n    return 2\n",
  ],
  ["CR LF in a mixed file", "a\r\nb\nc\n", "a\nb", "x\ny", "x\r\ny\r\nc\n"],
])("%s do not matter if exactly one place matches", (_, text, old, now, after) => {
  expect(edit(text, old, now)).toMatchObject({ ok: true, text: after, tolerance: expect.any(String) });
});

test("new lines below an indented line are indented with tabs or spaces, as the file is", () => {
  const text = "func f() {\n\tif a {\n\t\tb()\n\t}\n}\n";
  expect(
    edit(text, "    if a {\n        b()\n    }", "    if a {\n        b()\n        c()\n    }"),
  ).toMatchObject({
    text: "func f() {\n\tif a {\n\t\tb()\n\t\tc()\n\t}\n}\n",
  });
});

test.each([
  [
    "every two blanks of indentation become one tab",
    "if a {\n\tb()\n}\n",
    "  b()",
    "  if c {\n    if d {\n      b()\n    }\n  }",
    "if a {\n\tif c {\n\t\tif d {\n\t\t\tb()\n\t\t}\n\t}\n}\n",
  ],
  [
    "deeper indentation by four blanks becomes one tab per level",
    "\t\ta()\n",
    "        a()",
    "        if b {\n            a()\n        }",
    "\t\tif b {\n\t\t\ta()\n\t\t}\n",
  ],
  [
    "tabs become blanks, as many as the file uses",
    "def f():\n  a()\n",
    "\ta()",
    "\tif b:\n\t\ta()",
    "def f():\n  if b:\n    a()\n",
  ],
])("[25.10] %s", (_, text, old, now, after) => {
  expect(edit(text, old, now)).toMatchObject({ ok: true, text: after });
});

test.each([
  [
    "the first difference",
    "a\nreturn items.sum(price);\n}\n",
    "return items.sum(prices);\n}",
    'In line 2 the file has "turn items.sum(price);", old_string has "turn items.sum(prices);". Copy',
  ],
  [
    "the first difference, if it is not in the longest line",
    "if (a) {\n  callSomething(withArguments);\n}\n",
    "if (b) {\n  callSomething(withArguments);\n}",
    'In line 1 the file has "if (a) {", old_string has "if (b) {". Copy',
  ],
  [
    "line numbers in the old text as the cause",
    "one\ntwo words\n",
    "1\tone\n2\ttwo words",
    "old_string begins with line numbers. Copy",
  ],
  [
    "that the old text is longer than the file",
    "one\nlast words\n",
    "last words\nmore",
    "The file ends before line 2 of old_string. Copy",
  ],
])("[25.10] an error names %s", (_, text, old, why) => {
  expect(edit(text, old, "x")).toMatchObject({ ok: false, why: expect.stringContaining(why) });
});

test("[25.10] an empty old text is refused, and the error says what to do instead", () => {
  expect(edit("", "", "x")).toMatchObject({
    why: expect.stringContaining("use Write for the whole content"),
  });
});

test("an exact match takes precedence over tolerant matches", () => {
  expect(edit("  a\na\n", "a\n", "b\n")).toMatchObject({ ok: false });
  expect(edit("x\n a \n", " a \n", "b\n")).toEqual({
    ok: true,
    text: "x\nb\n",
    count: 1,
    changed: { first: 2, last: 3 },
  });
});

test("if the tolerant match finds two places, the edit is refused and the error names their lines", () => {
  expect(edit("\ta;\nb\n  a;\n", "    a;", "c;")).toEqual({
    ok: false,
    why: "holds old_string nowhere exactly, and 2 places match it ignoring indentation (lines 1, 3): copy one of them exactly",
  });
});

test("if the old text is not found, the error shows the most similar lines", () => {
  const text = "import a\n\nfunction add(x, y) {\n  return x + y;\n}\n";
  const refused = edit(text, "function add(a, b) {", "function sum(a, b) {");
  expect(refused).toMatchObject({ ok: false, why: expect.stringContaining("3\tfunction add(x, y) {") });
});

test("if nothing in the file resembles the old text, the error says what to do", () => {
  expect(edit("one\ntwo\n", "something else entirely", "x")).toMatchObject({
    why: expect.stringContaining("Nothing in it is similar: read the file again"),
  });
});
