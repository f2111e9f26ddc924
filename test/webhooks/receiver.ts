import { once } from "node:events";
import type { IncomingHttpHeaders, RequestListener } from "node:http";
import { createServer } from "node:https";
import { generate } from "selfsigned";
import { addCleanup } from "../kit/cleanup.js";

/** A certificate for this machine. */
export const certificate = await generate([{ name: "commonName", value: "localhost" }], {
  keyType: "ec",
  extensions: [
    {
      name: "subjectAltName",
      altNames: [
        { type: 2, value: "localhost" },
        { type: 2, value: "receiver.example" },
        { type: 7, ip: "127.0.0.1" },
      ],
    },
  ],
});

/** A request as it arrived. */
export interface ReceivedRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An HTTPS server on this machine that records each request and then responds to it. */
export interface Receiver {
  readonly port: number;
  readonly url: string;
  readonly received: readonly ReceivedRequest[];
  /** Returns the number of connections that were made to it. */
  countConnections(): number;
}

export async function startReceiver(answer: RequestListener = accept): Promise<Receiver> {
  const received: ReceivedRequest[] = [];
  let connections = 0;
  const server = createServer({ key: certificate.private, cert: certificate.cert }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url, headers } = request;
      received.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      answer(request, response);
    });
  });
  server.on("connection", () => {
    connections += 1;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  addCleanup(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  const { port } = address;
  return { port, url: `https://127.0.0.1:${port}/hook`, received, countConnections: () => connections };
}

const accept: RequestListener = (_request, response) => {
  response.writeHead(204).end();
};
