import { ConnectionError, createClient } from "loyalty-kit/client";
import { describe, expect, it } from "vitest";
import { archiveIn, unzipped } from "../exports/unzipped.js";
import { getErrorDetail } from "../kit/refusal.js";
import { answeredInPieces } from "./in-pieces.js";
import { disturbed, requestLost } from "./over-http.js";

function receiving(...pieces: (Uint8Array | Error)[]) {
  const { client, seen } = answeredInPieces(...pieces);
  return { bytes: client.exports.everything(), seen };
}

describe("a file over HTTP", () => {
  it("has what the library makes", async () => {
    const { client, acme } = disturbed([requestLost]);
    await acme.users.create({ email: "ada@example.com" });
    const files = unzipped(await archiveIn(client.exports.everything()));
    expect(String(files.get("users.csv"))).toContain("ada@example.com");
  });

  it("is read no faster than its bytes are asked for, and abandoned with them", async () => {
    const { bytes, seen } = receiving(Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of(3));
    expect((await bytes.next()).value).toEqual(Uint8Array.of(1));
    expect(seen).toEqual({ read: 1, isAbandoned: false });
    await bytes.return();
    expect(seen).toEqual({ read: 1, isAbandoned: true });
  });

  it("that breaks off is told as such", async () => {
    const { bytes } = receiving(Uint8Array.of(1), new Error("reset"));
    await bytes.next();
    await expect(bytes.next()).rejects.toThrow(ConnectionError);
  });

  it("is refused at the first step with the error of the service", async () => {
    const body = JSON.stringify({
      code: "access_denied",
      message: "The scope organization:export is required.",
    });
    const answer = async () =>
      new Response(body, { status: 403, headers: { "loyalty-missing": "organization:export" } });
    const client = createClient({ url: "http://api", token: null, fetch: answer });
    expect(await getErrorDetail(client.exports.everything().next())).toEqual({
      code: "access_denied",
      scope: "organization:export",
    });
  });
});
