import { type Agent, request } from "node:http";

/** A request as plain data. */
export interface PlainRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** A response as plain data. */
export interface PlainResponse {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** Sends a request with `node:http` over the connections of an agent, at a fraction of the cost of `fetch`. */
export function sendRequest(
  agent: Agent,
  { method, url, headers, body }: PlainRequest,
): Promise<PlainResponse> {
  return new Promise((resolve, reject) => {
    const length = body === null ? {} : { "content-length": Buffer.byteLength(body) };
    const clientRequest = request(url, { agent, method, headers: { ...headers, ...length } }, (response) => {
      const { statusCode: status = 0, headers: responseHeaders } = response;
      const chunks: Buffer[] = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({ status, contentType: responseHeaders["content-type"] ?? "", text });
      });
    });
    clientRequest.on("error", reject);
    clientRequest.end(body);
  });
}
