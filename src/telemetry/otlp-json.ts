// Spans as OTLP has them in JSON. Ids are hashes of what a span is called in the journal: whoever sends it, and however
// often, it is the same span of the same trace.

import type { Digest } from "../ids.ts";
import type { SpanRef, TraceSpan } from "../projections/formats/trace-spans.ts";
import { type Attributes, describeSpan } from "./describe-span.ts";

export interface Form {
  digest: Digest;
  resource: Attributes;
  version: string;
  /** Words go along. */
  content: boolean;
}

const INTERNAL = 1;
const CLIENT = 3;
const ERROR = 2;
/** Receivers refuse what is too long, and nobody reads it there. */
const LONGEST = 8_000;

export function otlpJson(spans: readonly TraceSpan[], form: Form): object {
  const scope = { name: "cadre", version: form.version };
  const resource = { attributes: listed(form.resource) };
  return {
    resourceSpans: [{ resource, scopeSpans: [{ scope, spans: spans.map((span) => spanOf(span, form)) }] }],
  };
}

function spanOf(span: TraceSpan, { digest, content }: Form) {
  const { title, isClient, attributes, failure, ...words } = describeSpan(span);
  const idOf = ({ runId, name }: SpanRef): string => digest(`span\n${runId}\n${name}`).slice(0, 16);
  const from = span.began.ts;
  return {
    traceId: digest(`trace\n${span.rootRunId}`).slice(0, 32),
    spanId: idOf(span),
    ...(span.parent ? { parentSpanId: idOf(span.parent) } : {}),
    name: title,
    kind: isClient ? CLIENT : INTERNAL,
    startTimeUnixNano: nanos(from),
    // A clock that was set back must not make time run backwards.
    endTimeUnixNano: nanos(Math.max(from, span.ended.ts)),
    attributes: listed({ ...attributes, ...(content ? words.content : {}) }),
    ...(failure
      ? { status: { code: ERROR, ...(content ? { message: cut(failure.words ?? "") } : {}) } }
      : {}),
  };
}

const nanos = (ms: number): string => `${Math.round(ms)}000000`;

const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

function listed(attributes: Attributes): { key: string; value: object }[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: NonNullable<Attributes[string]>): object {
  if (typeof value === "string") return { stringValue: cut(value) };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number")
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } };
}
