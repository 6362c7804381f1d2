// The SQLite form of the views in `stores/message-view.ts`.
// A view that an older SQLite cannot parse would make the whole file unreadable for its tools. So the views use only what SQLite 3.37
// understands, the oldest version that can read the tables: no `->`, and no order inside of aggregates.

import { createViews, type ViewDialect } from "../message-view.ts";

const at = (row: string, ...keys: string[]): string => `json_extract(${row}, '$.${keys.join(".")}')`;

/** Not every build of SQLite has the function `ceil`. */
const ceiling = (value: string): string =>
  `(CAST(${value} AS INTEGER) + (${value} > CAST(${value} AS INTEGER)))`;

const sqlite: ViewDialect = {
  // A damaged event is treated as an event without a payload, because it must not hide the other rows.
  payload: `CASE WHEN NOT json_valid(payload) THEN NULL WHEN substr(payload, 1, 10) = '{"$blob":"'
      THEN (SELECT text FROM blobs WHERE blobs.hash = json_extract(payload, '$."$blob"')) ELSE payload END`,
  call: "payload",
  text: (row, ...path) => at(`${row}.payload`, ...path),
  // SQLite reads `true` as 1.
  json: (
    row,
    ...path
  ) => `(CASE json_type(${row}.payload, '$.${path.join(".")}') WHEN 'true' THEN 'true' WHEN 'false' THEN 'false'
      ELSE json_quote(${at(`${row}.payload`, ...path)}) END)`,
  number: (row, key, inner) => at(`${row}.payload`, ...(inner === undefined ? [key] : [key, inner])),
  has: (row, ...path) => `json_type(${row}.payload, '$.${path.join(".")}') IS NOT NULL`,
  isText: (row, key) => `json_type(${row}.payload, '$.${key}') = 'text'`,
  items: (row, ...path) => `json_each(${row}.payload, '$.${path.join(".")}') AS item`,
  itemValue: "item.value",
  itemText: (...keys) => at("item.value", ...keys),
  itemJson: (...keys) => `json_quote(${at("item.value", ...keys)})`,
  whole: (value, how) => (how === "up" ? ceiling(value) : `CAST(round(${value}) AS INTEGER)`),
  time: (ms) =>
    `(strftime('%Y-%m-%dT%H:%M:%S', ${ms} / 1000, 'unixepoch') || printf('.%03dZ', ${ms} % 1000))`,
  quote: (text) => `json_quote(${text})`,
  joined: (value, separator, order, from) =>
    `SELECT group_concat(part, ${separator}) FROM (SELECT ${value} AS part ${from} ORDER BY ${order})`,
  newLine: "char(10)",
  position: (text, part) => `instr(${text}, ${part})`,
};

export const MESSAGE_VIEWS = createViews(sqlite);
