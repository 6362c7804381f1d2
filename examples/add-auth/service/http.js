// JSON over HTTP. A route gets the request and its body, and returns {status, body}.

import { createServer } from "node:http";

const LONGEST_BODY = 10_000;

/** An error in the client's request, with the message for the client. */
export class HttpError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export function serve(routes) {
  return createServer(async (request, response) => {
    const { status, body } = await answerTo(request, routes).catch(failure);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
}

async function answerTo(request, routes) {
  const route = routes[`${request.method} ${request.url}`];
  if (!route) throw new HttpError(404, "not found");
  return route(request, request.method === "POST" ? await readJson(request) : undefined);
}

async function readJson(request) {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk;
    if (text.length > LONGEST_BODY) throw new HttpError(413, "the body is too long");
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(400, "the body is no JSON");
  }
}

function failure(error) {
  if (error instanceof HttpError) return { status: error.status, body: { error: error.message } };
  console.error(error);
  return { status: 500, body: { error: "internal error" } };
}
