import { jsonHeaders, type RequestOptions, type TestResponse } from "./client.js";
import type { HttpUnderTest } from "./every-mount.js";

/* Bodies of `POST /v1/users` as texts and bytes. */

export const ada = JSON.stringify({ email: "ada@example.com" });

/** Creates a body whose length is not announced. */
export function createStream(...parts: (string | Uint8Array)[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const chunks = parts.map((part) => (typeof part === "string" ? encoder.encode(part) : part)).values();
  return new ReadableStream({
    pull(controller) {
      const { done, value } = chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

/** Creates an organization, and a function that posts bodies to its users. */
export async function createUserPoster(http: HttpUnderTest) {
  const organization = await http.createOrganization();
  const postUser = async (
    body: NonNullable<RequestOptions["body"]>,
    headers: RequestOptions["headers"] = jsonHeaders,
  ): Promise<TestResponse> => {
    const { status, body: response } = await organization.send("POST", "/v1/users", { headers, body });
    return { status, body: response };
  };
  return { ...organization, postUser };
}
