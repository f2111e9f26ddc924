import { ConnectionError, createClient } from "loyalty-kit/client";
import { describe, expect, it } from "vitest";
import { collectArchive, unzip } from "../exports/unzipped.js";
import { getErrorDetail } from "../kit/refusal.js";
import { createClientInPieces } from "./in-pieces.js";
import { loseRequest, openDisturbed } from "./over-http.js";

function exportInPieces(...pieces: (Uint8Array | Error)[]) {
  const { client, progress } = createClientInPieces(...pieces);
  return { bytes: client.exports.everything(), progress };
}

describe("a file over HTTP", () => {
  it("contains what the library exports", async () => {
    const { client, acme } = openDisturbed([loseRequest]);
    await acme.users.create({ email: "ada@example.com" });
    const files = unzip(await collectArchive(client.exports.everything()));
    expect(String(files.get("users.csv"))).toContain("ada@example.com");
  });

  it("is read only as fast as the caller takes its bytes, and is canceled when the caller stops", async () => {
    const { bytes, progress } = exportInPieces(Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of(3));
    expect((await bytes.next()).value).toEqual(Uint8Array.of(1));
    expect(progress).toEqual({ read: 1, isAbandoned: false });
    await bytes.return();
    expect(progress).toEqual({ read: 1, isAbandoned: true });
  });

  it("fails with a ConnectionError when it breaks off", async () => {
    const { bytes } = exportInPieces(Uint8Array.of(1), new Error("reset"));
    await bytes.next();
    await expect(bytes.next()).rejects.toThrow(ConnectionError);
  });

  it("is refused at the first step with the service's error", async () => {
    const body = JSON.stringify({
      code: "access_denied",
      message: "The scope organization:export is required.",
    });
    const respond = async () =>
      new Response(body, { status: 403, headers: { "loyalty-missing": "organization:export" } });
    const client = createClient({ url: "http://api", token: null, fetch: respond });
    expect(await getErrorDetail(client.exports.everything().next())).toEqual({
      code: "access_denied",
      scope: "organization:export",
    });
  });
});
