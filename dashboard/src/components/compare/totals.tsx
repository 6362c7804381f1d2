import type { Comparison } from "../../../../src/api/client/types.ts";
import { duration, money, shortCount } from "../../../../src/projections/words/format.ts";

/** Status, time, tokens and cost of both trees. */
export function Totals({ compared: { a, b } }: { compared: Comparison }) {
  return (
    <table className="text-xs tabular-nums">
      <caption className="sr-only">Totals of both runs</caption>
      <thead className="text-muted">
        <tr>
          {["Run", "Status", "Time", "Tokens", "Cost", "Runs"].map((name) => (
            <th key={name} scope="col" className="px-2 text-left font-normal">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <Line name="A" facts={a} />
        <Line name="B" facts={b} />
      </tbody>
    </table>
  );
}

function Line({ name, facts }: { name: string; facts: Comparison["a"] }) {
  const { status, ms, tokens, cost, unpriced, runs } = facts;
  return (
    <tr>
      <th scope="row" className="px-2 text-left">
        {name}
      </th>
      {[status, duration(ms), shortCount(tokens), money(cost, unpriced), String(runs)].map((cell, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: cells are identified by their column
        <td key={index} className="px-2">
          {cell}
        </td>
      ))}
    </tr>
  );
}
