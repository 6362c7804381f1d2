import { expect, test } from "vitest";
import { settingSecrets } from "../project/mask.ts";
import { DECLARED_KEYS } from "./schema.ts";
import { dropUntrusted } from "./untrusted.ts";

const document = { file: "cadre.yaml", at: () => ({ line: 1, column: 1 }) };

/** The declared keys, and a key `hooks` without the required declarations, which the compiler would normally reject. */
const planted = { ...DECLARED_KEYS, hooks: {} };

test("[A53] an untrusted folder cannot set a config key that has no trust declaration", () => {
  const values = { model: "a/b", hooks: { after: "https://evil.test" } };
  const ignored = dropUntrusted(document, values, "/w", planted);
  expect(values).toEqual({ model: "a/b" });
  expect(ignored).toMatchObject([{ key: "hooks", problem: { code: "UNTRUSTED", severity: "warning" } }]);
});

test("[A61] if a key declares nothing, all of its text is secret, and so are the values of the variables it names", () => {
  const hooks = { after: "https://hooks.test/T0KEN-in-the-path", signEnv: "SIGN_WITH" };
  const secrets = settingSecrets(
    { hooks, model: "provider/model" },
    { SIGN_WITH: "not-named-secret" },
    planted,
  );
  expect(secrets.map(({ value }) => value)).toEqual([
    "not-named-secret",
    "https://hooks.test/T0KEN-in-the-path",
    "SIGN_WITH",
  ]);
});

test("every key declares whether an untrusted folder can set it and which of its values are secrets", () => {
  for (const [key, { untrusted, secrets }] of Object.entries(DECLARED_KEYS)) {
    expect([key, untrusted === "allowed" || untrusted.length > 0]).toEqual([key, true]);
    expect([key, ["none", "named", "all"].includes(secrets)]).toEqual([key, true]);
  }
});

test("a key without declarations about trust and secrets does not compile", () => {
  type Facts = (typeof DECLARED_KEYS)[keyof typeof DECLARED_KEYS];
  // @ts-expect-error: `untrusted` and `secrets` are missing.
  const undeclared: Facts = { schema: DECLARED_KEYS.model.schema };
  expect(undeclared).toBeDefined();
});
