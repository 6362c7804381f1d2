// Starts the app on a free port until the test ends, and returns a client for it.

import { once } from "node:events";
import { createApp } from "./app.js";

export async function startApp(test, options) {
  const server = createApp(options).listen(0, "127.0.0.1");
  await once(server, "listening");
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const call = async (path, init) => {
    const response = await fetch(`http://127.0.0.1:${server.address().port}${path}`, init);
    return { status: response.status, body: await response.json() };
  };
  return {
    get: (path, headers = {}) => call(path, { headers }),
    post: (path, body) => call(path, { method: "POST", body: JSON.stringify(body) }),
  };
}
