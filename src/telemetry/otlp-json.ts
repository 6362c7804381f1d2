// Encodes spans as OTLP JSON.
// A span's id is a hash of its run and its name, so the id is the same in every process that sends the span.

import type { Digest } from "../ids.ts";
import type { SpanRef, TraceSpan } from "../projections/formats/trace-spans.ts";
import { type Attributes, describeSpan } from "./describe-span.ts";

export interface OtlpOptions {
  digest: Digest;
  resource: Attributes;
  version: string;
  /** True if the text of people, models and tools is also sent. */
  content: boolean;
}

const INTERNAL = 1;
const CLIENT = 3;
const ERROR = 2;
/** Maximum length of a value. Receivers refuse longer values, so they are cut. */
const MAX_TEXT = 8_000;

export function otlpJson(spans: readonly TraceSpan[], options: OtlpOptions): object {
  const scope = { name: "cadre", version: options.version };
  const resource = { attributes: keyValues(options.resource) };
  const encoded = spans.map((span) => encodeSpan(span, options));
  return { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: encoded }] }] };
}

function encodeSpan(span: TraceSpan, { digest, content }: OtlpOptions) {
  const { title, isClient, attributes, failure, content: texts } = describeSpan(span);
  const idOf = ({ runId, name }: SpanRef): string => digest(`span\n${runId}\n${name}`).slice(0, 16);
  const from = span.began.ts;
  return {
    traceId: digest(`trace\n${span.rootRunId}`).slice(0, 32),
    spanId: idOf(span),
    ...(span.parent ? { parentSpanId: idOf(span.parent) } : {}),
    name: title,
    kind: isClient ? CLIENT : INTERNAL,
    startTimeUnixNano: nanos(from),
    // The clock might have been set back during the span. A span must not end before it began.
    endTimeUnixNano: nanos(Math.max(from, span.ended.ts)),
    attributes: keyValues({ ...attributes, ...(content ? texts : {}) }),
    ...(failure
      ? { status: { code: ERROR, ...(content ? { message: truncate(failure.message ?? "") } : {}) } }
      : {}),
  };
}

const nanos = (ms: number): string => `${Math.round(ms)}000000`;

const truncate = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);

function keyValues(attributes: Attributes): { key: string; value: object }[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: NonNullable<Attributes[string]>): object {
  if (typeof value === "string") return { stringValue: truncate(value) };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number")
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } };
}
