import { describe, expect, test } from "vitest";
import { created, deleted, invalid, malformed, ok, tooLarge, wrongType } from "./answers.js";
import { jsonHeaders } from "./client.js";
import { testOnEveryMount } from "./every-mount.js";
import { buildHead, exchangeBytes, parseResponse, sendAndEnd } from "./raw-socket.js";
import { ada, createStream, createUserPoster } from "./user-bodies.js";

const MIB = 1_048_576;

/** Pads the text to this many bytes with spaces, which JSON allows. */
const padText = (text: string, bytes: number) => text + " ".repeat(bytes - Buffer.byteLength(text));

testOnEveryMount((http) => {
  const createPoster = () => createUserPoster(http);

  describe("a body 100,000 levels deep", () => {
    const levels = 100_000;
    const deepArray = "[".repeat(levels) + "]".repeat(levels);
    const deepObject = `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

    test("is refused if its field doesn't accept it", async () => {
      const { postUser } = await createPoster();
      for (const deep of [deepArray, deepObject]) {
        expect(await postUser(`{"email":"ada@example.com","name":${deep}}`)).toEqual(wrongType("name"));
        expect(await postUser(`{"email":"ada@example.com","metadata":{"a":${deep}}}`)).toEqual(
          invalid("metadata"),
        );
      }
      expect(await postUser(deepArray)).toEqual(malformed);
      expect(await postUser(deepObject)).toEqual(invalid("email"));
    });

    test("is ignored in an unknown field", async () => {
      const { postUser } = await createPoster();
      for (const [at, deep] of [deepArray, deepObject].entries()) {
        const email = `u${at}@example.com`;
        expect(await postUser(`{"unknown":${deep},"email":"${email}"}`)).toMatchObject(created({ email }));
      }
    });
  });

  describe("the size of a body", () => {
    test("may be 1 MiB", async () => {
      const { postUser } = await createPoster();
      expect(await postUser(padText(ada, MIB))).toMatchObject({ status: 201 });
      expect(await postUser(createStream(padText(ada.replace("ada", "bob"), MIB)))).toMatchObject({
        status: 201,
      });
    });

    test("can't be a byte more", async () => {
      const { postUser } = await createPoster();
      expect(await postUser(padText(ada, MIB + 1))).toEqual(tooLarge);
      expect(await postUser(padText(ada, 3 * MIB))).toEqual(tooLarge);
      expect(await postUser(new Uint8Array(MIB + 1).fill(0xff))).toEqual(tooLarge);
    });

    test("is also limited for a streamed body of unannounced length", async () => {
      const { postUser } = await createPoster();
      const limit = http.mount.streamLimit;
      expect(await postUser(createStream(padText(ada, limit), " "))).toEqual(tooLarge);
      expect(await postUser(createStream(...Array.from({ length: 32 }, () => " ".repeat(MIB / 8))))).toEqual(
        tooLarge,
      );
    });

    test("counts bytes, not characters", async () => {
      const { postUser } = await createPoster();
      const body = JSON.stringify({ email: "ada@example.com", unknown: "é".repeat(MIB / 2) });
      expect(body.length).toBeLessThan(MIB);
      expect(await postUser(body)).toEqual(tooLarge);
    });
  });

  describe("an endpoint that takes no body", () => {
    const createStampCard = async () => {
      const { acme, ...organization } = await http.createOrganization();
      const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 2 });
      const { id } = await acme.passes.create(template.id, { user: { email: "ada@example.com" } });
      return { ...organization, path: `/v1/walletpasses/${id}` };
    };

    test("ignores a body", async () => {
      const { send, path } = await createStampCard();
      for (const [body, headers] of [
        ["", jsonHeaders],
        ["[]", jsonHeaders],
        ["x", { "content-type": "text/plain" }],
        ["x", { "content-type": "x", "content-encoding": "gzip" }],
      ] as const) {
        expect(await send("POST", `${path}/stamps/reset`, { headers, body })).toMatchObject(
          ok({ currentStamps: 0 }),
        );
      }
      const headers = { "content-type": "text/plain" };
      expect(await send("DELETE", path, { headers, body: "{" })).toMatchObject(deleted);
    });

    test("refuses a malformed or oversized body only if the host reads it first", async () => {
      const { call, sendPlainly, path } = await createStampCard();
      for (const body of ["{", padText("{", MIB + 1)]) {
        for (const [method, at] of [
          ["POST", `${path}/stamps/reset`],
          ["DELETE", path],
        ] as const) {
          const { status } = await sendPlainly(method, at, { headers: jsonHeaders, body });
          // The host's parser rejected the request, so it must have no effect.
          expect(http.mount.hostReadsBodies ? [400, 413] : [200, 204, 404]).toContain(status);
        }
        expect(await call("GET", path)).toMatchObject({ status: http.mount.hostReadsBodies ? 200 : 404 });
      }
    });
  });

  if (!http.mount.hasSocket) return;

  describe("a connection", () => {
    const buildUsersHead = (token: string, ...headers: string[]) =>
      buildHead({
        method: "POST",
        path: `${http.mount.prefix}/v1/users`,
        headers: [`Authorization: Bearer ${token}`, "Content-Type: application/json", ...headers],
      });

    test("that ends in the middle of a body creates nothing, and later requests work", async () => {
      const { token, acme, call } = await createPoster();
      for (const [headers, body] of [
        ["Content-Length: 100", ada],
        ["Content-Length: 100", ""],
        ["Transfer-Encoding: chunked", `${ada.length.toString(16)}\r\n${ada}\r\n`],
        ["Transfer-Encoding: chunked", `ff\r\n${ada}`],
        ["Transfer-Encoding: chunked", `zz\r\n${ada}`],
      ] as const) {
        const response = await sendAndEnd(http.port, buildUsersHead(token, headers), body);
        // The host's own server responds to input that is not HTTP.
        if (response !== "") expect(parseResponse(response).status).toBe(400);
      }
      expect(await acme.contacts.list()).toMatchObject({ totalElements: 0 });
      expect(await call("GET", "/v1/users")).toEqual(ok([]));
    });

    // A host's parser reads the whole body before it refuses it.
    if (!http.mount.hostReadsBodies) {
      test("gets a 413 for an announced body that is too large, before it sends the body", async () => {
        const { token } = await createPoster();
        const announcedHead = buildUsersHead(token, `Content-Length: ${64 * MIB}`);
        const response = parseResponse(await exchangeBytes(http.port, announcedHead, "{"));
        expect(response).toMatchObject(tooLarge);
        http.document.assertPromised("POST", "/v1/users", response.status, response.body);
      });
    }

    test("may send a body with GET, which is ignored", async () => {
      const { token } = await createPoster();
      const path = `${http.mount.prefix}/v1/user-tags`;
      const headers = [`Authorization: Bearer ${token}`, "Content-Type: text/plain", "Content-Length: 1"];
      expect(parseResponse(await exchangeBytes(http.port, buildHead({ path, headers }), "{"))).toMatchObject(
        ok([]),
      );
    });
  });
});
