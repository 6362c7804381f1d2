// The Postgres form of the views in `stores/message-view.ts`.

import { createViews, type ViewDialect } from "../message-view.ts";

const at = (value: string, keys: readonly string[], last: "->" | "->>"): string =>
  keys.reduce((found, key, index) => `${found} ${index === keys.length - 1 ? last : "->"} '${key}'`, value);

const postgres: ViewDialect = {
  // Postgres refuses JSON with an escaped NUL or a lone surrogate, which a model's text can contain.
  payload: String.raw`regexp_replace(CASE WHEN left(payload, 10) = '{"$blob":"'
      THEN (SELECT convert_from(text, 'UTF8') FROM blobs WHERE blobs.hash = substr(payload, 11, 64)) ELSE payload END,
      '\\u(0000|d[89a-f][0-9a-f]{2})', '\\ufffd', 'g')::json`,
  call: "payload::json",
  text: (row, ...path) => `(${at(`${row}.payload`, path, "->>")})`,
  json: (row, ...path) => `(${at(`${row}.payload`, path, "->")})::text`,
  number: (row, key, inner) =>
    `(${at(`${row}.payload`, inner === undefined ? [key] : [key, inner], "->>")})::double precision`,
  has: (row, ...path) => `(${at(`${row}.payload`, path, "->")}) IS NOT NULL`,
  isText: (row, key) => `json_typeof(${row}.payload -> '${key}') = 'string'`,
  items: (row, ...path) =>
    `json_array_elements(${at(`${row}.payload`, path, "->")}) WITH ORDINALITY AS item (value, key)`,
  itemValue: "(item.value #>> '{}')",
  itemText: (...keys) => `(${at("item.value", keys, "->>")})`,
  itemJson: (...keys) => `(${at("item.value", keys, "->")})::text`,
  // `round` of a double rounds half to even.
  whole: (value, how) => (how === "up" ? `ceil(${value})::bigint` : `floor(${value} + 0.5)::bigint`),
  time: (ms) => `to_char(to_timestamp((${ms}) / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  quote: (text) => `to_json(${text})::text`,
  joined: (value, separator, order, from) =>
    `SELECT string_agg(${value}, ${separator} ORDER BY ${order}) ${from}`,
  newLine: "chr(10)",
  position: (text, part) => `strpos(${text}, ${part})`,
};

export const MESSAGE_VIEWS = createViews(postgres);
