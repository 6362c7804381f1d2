import { expect, test } from "vitest";
import { Restate, restateConfig } from "./restate.ts";

test("[E10] by default, Restate and its only worker run on this machine", () => {
  expect(restateConfig(undefined, {})).toEqual({
    ingress: "http://127.0.0.1:8080",
    admin: "http://127.0.0.1:9070",
    listen: { host: "127.0.0.1", port: 9080 },
    workers: undefined,
    identity: [],
  });
});

test("[E10] environment variables such as CADRE_RESTATE_LISTEN override the file", () => {
  const file = Restate.parse({ ingress: "http://restate:8080", listen: "0.0.0.0:9080" });
  const env = { CADRE_RESTATE_LISTEN: "[::1]:9081", CADRE_RESTATE_WORKERS: "http://balancer:9080" };
  expect(restateConfig(file, env)).toMatchObject({
    ingress: "http://restate:8080",
    listen: { host: "::1", port: 9081 },
    workers: "http://balancer:9080",
  });
});

test.each(["9080", "host:99999", "http://host:9080"])(
  "the invalid listen address %s is reported",
  (written) => {
    const must = "must be a place to listen at, like 0.0.0.0:9080";
    expect(() => Restate.parse({ listen: written })).toThrow(must);
    expect(() => restateConfig({}, { CADRE_RESTATE_LISTEN: written })).toThrow(
      `CADRE_RESTATE_LISTEN ${must}, and is ${JSON.stringify(written)}. Nothing was done.`,
    );
  },
);

test.each([{ ingress: "restate:8080" }, { identity: ["secret"] }, { ingres: "http://restate:8080" }])(
  "the invalid Restate settings %o are refused",
  (written) => {
    expect(Restate.safeParse(written).success).toBe(false);
  },
);
