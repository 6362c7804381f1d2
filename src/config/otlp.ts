// Reads the OpenTelemetry variables that say where traces are sent.
// Cadre sends nothing if no endpoint is set or tracing is turned off. No file of a project can set these variables.

import type { Env } from "./trust.ts";

export interface Otlp {
  url: URL | undefined;
  /** The reason why no traces can be sent. */
  problem: string | undefined;
  headers: Readonly<Record<string, string>>;
  timeoutMs: number;
  /** Attributes of the OpenTelemetry resource: `service.name` and others. */
  resource: Readonly<Record<string, string>>;
  /** Whether traces also contain text written by people, models and tools. */
  content: boolean;
}

const TIMEOUT_MS = 10_000;
/** Longest time that one attempt to send traces can take. It is shorter than `HOLD_MS` in tracing.ts. */
const LONGEST_MS = 15_000;

/** Returns undefined if tracing is off. */
export function otlpSettings(env: Env): Otlp | undefined {
  const set = (name: string): string | undefined => env[name]?.trim() || undefined;
  const forTraces = (name: string): string | undefined =>
    set(`OTEL_EXPORTER_OTLP_TRACES_${name}`) ?? set(`OTEL_EXPORTER_OTLP_${name}`);
  const address = set("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") ?? tracesUrl(set("OTEL_EXPORTER_OTLP_ENDPOINT"));
  const isOff = isTrue(set("OTEL_SDK_DISABLED")) || set("OTEL_TRACES_EXPORTER") === "none";
  if (address === undefined || isOff) return undefined;
  const url = URL.parse(address) ?? undefined;
  return {
    url,
    problem: problemOf(url, forTraces("PROTOCOL")),
    headers: otlpHeaders(env),
    timeoutMs: Math.min(Number(forTraces("TIMEOUT")) || TIMEOUT_MS, LONGEST_MS),
    resource: {
      "service.name": "cadre",
      ...pairs(set("OTEL_RESOURCE_ATTRIBUTES")),
      ...entryIfSet("service.name", set("OTEL_SERVICE_NAME")),
    },
    content: isTrue(set("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT")),
  };
}

/** Headers that the exporter sends. They often contain an API key. */
export const otlpHeaders = (env: Env): Record<string, string> => ({
  ...pairs(env["OTEL_EXPORTER_OTLP_HEADERS"]),
  ...pairs(env["OTEL_EXPORTER_OTLP_TRACES_HEADERS"]),
});

const tracesUrl = (endpoint: string | undefined): string | undefined =>
  endpoint === undefined ? undefined : `${endpoint.replace(/\/+$/, "")}/v1/traces`;

const isTrue = (value: string | undefined): boolean => value?.toLowerCase() === "true";

function problemOf(url: URL | undefined, protocol: string | undefined): string | undefined {
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    return "OTEL_EXPORTER_OTLP_ENDPOINT is no address that begins with http:// or https://";
  return protocol === "grpc"
    ? "OTEL_EXPORTER_OTLP_PROTOCOL is grpc, and only OTLP over HTTP is spoken here: unset it, and name the receiver's port for HTTP (often 4318)"
    : undefined;
}

/** Parses `key=value,key=value` with percent-encoded values. */
function pairs(text: string | undefined): Record<string, string> {
  const entries = (text ?? "").split(",").flatMap((pair) => {
    const at = pair.indexOf("=");
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decodePercent(pair.slice(at + 1).trim())]];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const entryIfSet = (name: string, value: string | undefined) =>
  value === undefined ? {} : { [name]: value };
