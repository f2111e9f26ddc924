import { once } from "node:events";
import { createServer } from "node:https";
import { generate } from "selfsigned";

/* HTTPS receivers on this machine. Sent a number, the process reports when all of them together have that many requests. */
const [, , count = "1"] = process.argv;
const { private: key, cert } = await generate([{ name: "commonName", value: "localhost" }], {
  keyType: "ec",
  extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] }],
});

let [receivedCount, expected] = [0, 0];
process.on("message", (number) => {
  [receivedCount, expected] = [0, Number(number)];
  process.send?.("ready");
});

const ports: number[] = [];
for (let at = 0; at < Number(count); at += 1) {
  const server = createServer({ key, cert }, (request, response) => {
    request.resume().on("end", () => {
      response.writeHead(204).end();
      receivedCount += 1;
      if (receivedCount === expected) process.send?.("done");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address === "object" && address !== null) ports.push(address.port);
}
process.send?.({ ports, cert });
