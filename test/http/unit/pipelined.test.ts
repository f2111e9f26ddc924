import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, it } from "vitest";
import { oneByOne } from "../../../adapters/http/pipelined.js";

const CONNECTIONS = 6;
const REQUESTS = 5;

it("requests that waited on their connections are taken two at a time, of all of them", async () => {
  let [answered, atOnce, most] = [0, 0, 0];
  const server = createServer(
    oneByOne((request, response) => {
      if (request.url === "/first") {
        setTimeout(() => response.end(), 20);
        return;
      }
      atOnce += 1;
      most = Math.max(most, atOnce);
      setTimeout(() => {
        atOnce -= 1;
        answered += 1;
        response.end();
      }, 2);
    }),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const head = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const sockets = Array.from({ length: CONNECTIONS }, () => {
    const socket = connect(port, "127.0.0.1", () =>
      socket.write(head("/first") + head("/then").repeat(REQUESTS)),
    );
    return socket.resume();
  });
  await expect.poll(() => answered, { timeout: 10_000 }).toBe(CONNECTIONS * REQUESTS);
  expect(most).toBe(2);
  for (const socket of sockets) socket.destroy();
  server.close();
});
