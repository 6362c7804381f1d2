import { expect, test } from "vitest";
import { otlpSettings } from "./otlp.ts";

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318/" };

test("[TL3] tracing is off if it has no endpoint or is disabled", () => {
  expect(otlpSettings({})).toBeUndefined();
  expect(otlpSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: " " })).toBeUndefined();
  expect(otlpSettings({ ...ENDPOINT, OTEL_SDK_DISABLED: "TRUE" })).toBeUndefined();
  expect(otlpSettings({ ...ENDPOINT, OTEL_TRACES_EXPORTER: "none" })).toBeUndefined();
});

test("/v1/traces is appended to the general endpoint; an endpoint for traces overrides it and is used unchanged", () => {
  const plain = otlpSettings(ENDPOINT)!;
  expect(plain.url!.href).toBe("http://127.0.0.1:4318/v1/traces");
  expect(plain).toMatchObject({ problem: undefined, timeoutMs: 10_000, content: false, headers: {} });
  const full = otlpSettings({
    ...ENDPOINT,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example/in",
    OTEL_EXPORTER_OTLP_HEADERS: "a=1, b=x%20y=z ,=none,c",
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: "a=2,broken=%zz",
    OTEL_EXPORTER_OTLP_TIMEOUT: "99999",
    OTEL_RESOURCE_ATTRIBUTES: "service.name=other,team=ops",
    OTEL_SERVICE_NAME: "desk",
  })!;
  expect(full.url!.href).toBe("https://traces.example/in");
  expect(full.headers).toEqual({ a: "2", b: "x y=z", broken: "%zz" });
  expect(full.resource).toEqual({ "service.name": "desk", team: "ops" });
  expect(full.timeoutMs).toBe(15_000);
});

test("unsupported protocols and endpoints that are not http are reported", () => {
  expect(otlpSettings({ ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" })!.problem).toMatch(
    /is grpc, and only/,
  );
  expect(otlpSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: "localhost:4318" })!.problem).toMatch(
    /begins with http/,
  );
});
