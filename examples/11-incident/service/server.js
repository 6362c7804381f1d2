// POST /checkout {id, lines: [{sku, price, quantity}], coupon?} answers 201 with a receipt. One line of log per order.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { checkout, OrderRefused } from "./checkout.js";

const { version } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));

const server = createServer(async (request, response) => {
  if (request.method === "GET" && request.url === "/healthz") return answer(response, 200, { version });
  if (request.method !== "POST" || request.url !== "/checkout") return answer(response, 404, { error: "not found" });
  let order;
  try {
    order = JSON.parse(await bodyOf(request));
  } catch {
    return answer(response, 400, { error: "the body is no JSON" });
  }
  serve(order, response);
});

function serve(order, response) {
  const started = performance.now();
  const what = `order ${order.id} (lines=${order.lines?.length ?? 0} coupon=${order.coupon ?? "-"})`;
  try {
    const receipt = checkout(order);
    log("INFO", `${what} accepted, total ${receipt.total}, ${Math.ceil(performance.now() - started)} ms`);
    answer(response, 201, receipt);
  } catch (error) {
    const refused = error instanceof OrderRefused;
    log(refused ? "WARN" : "ERROR", `${what} ${refused ? `refused: ${error.message}` : `failed: ${error.stack}`}`);
    answer(response, refused ? 422 : 500, { error: refused ? error.message : "internal error" });
  }
}

async function bodyOf(request) {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  return body;
}

function answer(response, status, value) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function log(level, message) {
  console.log(`${new Date().toISOString()} ${level.padEnd(5)} ${message}`);
}

process.on("SIGTERM", () => {
  log("INFO", "SIGTERM, finishing open requests");
  server.close(() => log("INFO", "stopped"));
});

server.listen(Number(process.env.PORT ?? 8080), "127.0.0.1", () => {
  log("INFO", `checkout ${version} listens on port ${server.address().port}`);
});
