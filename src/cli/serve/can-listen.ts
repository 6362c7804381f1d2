import { once } from "node:events";
import { createServer } from "node:net";

/** Whether a server could listen on this address now. False if the address is in use, or if it belongs to another machine. */
export async function canListen(host: string, port: number): Promise<boolean> {
  const server = createServer().listen(port, host);
  try {
    await once(server, "listening");
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
