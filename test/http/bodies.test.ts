import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { created, invalid, malformed, ok, unsupportedMediaType, wrongType } from "./answers.js";
import { jsonHeaders } from "./client.js";
import { testOnEveryMount } from "./every-mount.js";
import { ada, createStream, createUserPoster } from "./user-bodies.js";

/** Builds JSON text that contains bytes which may not be valid UTF-8. */
function buildJson(bytes: readonly number[], start = '{"email":"ada@example.com","name":"', end = '"}') {
  return new Uint8Array([...Buffer.from(start), ...bytes, ...Buffer.from(end)]);
}

testOnEveryMount((http) => {
  const createPoster = () => createUserPoster(http);

  describe("the media type of a body", () => {
    test.each([
      ...["application/json", "application/json;charset=utf-8", "application/json; charset=UTF-8"],
      ...['Application/JSON; Charset="utf-8"', "application/json ; charset=utf-8", "application/json; x=y"],
    ])("may be %s", async (type) => {
      const { postUser } = await createPoster();
      expect(await postUser(ada, { "content-type": type })).toMatchObject({ status: 201 });
    });

    test.each([
      ...[
        "text/plain",
        "text/json",
        "application/jsonx",
        "application/problem+json",
        "application/x-www-form-urlencoded",
      ],
      ...[
        "multipart/form-data; boundary=x",
        "*/*",
        "application/*",
        "json",
        "application/json; charset=latin1",
      ],
      ...[
        "application/json; charset=utf-16",
        "application/json; charset=iso-8859-1",
        "text/plain, application/json",
      ],
    ])("can't be %s", async (type) => {
      const { postUser } = await createPoster();
      expect(await postUser(ada, { "content-type": type })).toEqual(unsupportedMediaType);
    });

    test("is required", async () => {
      const { postUser } = await createPoster();
      expect(await postUser(new TextEncoder().encode(ada), {})).toEqual(unsupportedMediaType);
    });

    test("isn't accepted for a compressed body", async () => {
      const { postUser } = await createPoster();
      const zippedBody = new Uint8Array(gzipSync(ada));
      for (const encoding of ["gzip", "GZIP", "deflate", "br", "identity, gzip", "unknown"]) {
        expect(
          await postUser(zippedBody, { ...jsonHeaders, "content-encoding": encoding }),
          encoding,
        ).toEqual(unsupportedMediaType);
      }
      expect(await postUser(ada, { ...jsonHeaders, "content-encoding": "identity" })).toMatchObject({
        status: 201,
      });
    });
  });

  describe("a body", () => {
    test.each([
      ...[
        "",
        " ",
        "{",
        "}",
        '{"email":}',
        "{email:1}",
        '{"email":"a"}}',
        '{"email":"a",}',
        "[",
        "nul",
        "{'a':1}",
      ],
      ...[
        '{"email":"ada@example.com"',
        '{"email":"ada@example.com"}x',
        '{"a":1}{"b":2}',
        "NaN",
        '{"a":NaN}',
        "01",
      ],
      ...[
        '{"a":"\u0001"}',
        '{"a":"\\x41"}',
        '{"a":"\\ud8"}',
        "/**/{}",
        "\ufeff\ufeff{}",
        "\0{}",
        "undefined",
      ],
    ])("of %j is malformed", async (body) => {
      const { postUser } = await createPoster();
      expect(await postUser(body)).toEqual(malformed);
    });

    test.each(["[]", "null", "true", "5", '"text"', "[{}]", ' [{"email":"ada@example.com"}]', "1e400"])(
      "of %j is not an object, so it is malformed",
      async (body) => {
        const { postUser } = await createPoster();
        expect(await postUser(body)).toEqual(malformed);
      },
    );

    test("may start with a byte-order mark", async () => {
      const { postUser } = await createPoster();
      expect(await postUser(`\ufeff${ada}`)).toMatchObject(created({ email: "ada@example.com" }));
    });

    test("may have white space around it", async () => {
      const { postUser } = await createPoster();
      expect(await postUser(` \r\n\t${ada}\n `)).toMatchObject({ status: 201 });
    });

    test("in an encoding other than UTF-8 is malformed", async () => {
      const { postUser } = await createPoster();
      const utf16 = Buffer.from(`\ufeff${ada}`, "utf16le");
      for (const bytes of [utf16, utf16.subarray(2), Buffer.from(utf16).swap16()]) {
        expect(await postUser(new Uint8Array(bytes))).toEqual(malformed);
      }
    });

    test("is malformed if any part of it is not valid UTF-8", async () => {
      const { postUser, acme } = await createPoster();
      const invalidBytes = [
        ...[[0xff], [0xfe, 0xff], [0xc3], [0xc3, 0x28], [0x80], [0xe4], [0xc0, 0x80], [0xed, 0xa0, 0x80]],
        ...[
          [0xf5, 0x80, 0x80, 0x80],
          [0xe2, 0x82],
          [0xf0, 0x9f, 0x98],
        ],
      ];
      for (const bytes of invalidBytes) {
        expect(await postUser(buildJson(bytes)), bytes.join()).toEqual(malformed);
        expect(
          await postUser(buildJson(bytes, '{"email":"ada@example.com","metadata":{"a":[{"', '":1}]}}')),
        ).toEqual(malformed);
        expect(await postUser(buildJson(bytes, '{"email":"ada@example.com","unknown":"', '"}'))).toEqual(
          malformed,
        );
        expect(await postUser(buildJson(bytes, '{"', '":1,"email":"ada@example.com"}'))).toEqual(malformed);
      }
      expect(await acme.contacts.list()).toMatchObject({ totalElements: 0 });
    });

    test("may contain U+FFFD, unless the host reads the body first", async () => {
      const { postUser } = await createPoster();
      const name = "a\ufffdb";
      const response = await postUser(JSON.stringify({ email: "ada@example.com", name }));
      if (http.mount.hostReadsBodies) expect(response).toEqual(malformed);
      else expect(response).toMatchObject(created({ name }));
    });

    test("may come in parts that are cut inside a character", async () => {
      const { postUser } = await createPoster();
      const bytes = new TextEncoder().encode(JSON.stringify({ email: "ada@example.com", name: "é😀" }));
      const parts = [...bytes].map((byte) => new Uint8Array([byte]));
      expect(await postUser(createStream(...parts))).toMatchObject(created({ name: "é😀" }));
    });

    test("with a duplicate key uses the last value", async () => {
      const { postUser } = await createPoster();
      expect(await postUser('{"email":5,"email":"ada@example.com","name":"a","name":"b"}')).toMatchObject(
        created({ name: "b" }),
      );
    });

    test("doesn't get fields from __proto__", async () => {
      const { postUser } = await createPoster();
      expect(await postUser('{"__proto__":{"email":"ada@example.com"}}')).toEqual(invalid("email"));
      expect(await postUser('{"email":"ada@example.com","__proto__":{"name":"x","phone":5}}')).toMatchObject(
        created({ name: null, phone: null }),
      );
    });

    test("may have numbers of any size, and is refused only if a field doesn't accept them", async () => {
      const { call, send } = await createPoster();
      const queryTags = (size: string) =>
        send("POST", "/v1/user-tags/query", {
          headers: jsonHeaders,
          body: `{"filter":{"operator":"NOT","conditions":[{"slug":"a"}]},"page":${size}}`,
        });
      for (const huge of [
        "1e308",
        "1e400",
        "9007199254740993",
        "-1e400",
        "1".repeat(10_000),
        "-9007199254740993",
      ]) {
        expect([400, 422]).toContain((await queryTags(huge)).status);
      }
      for (const fraction of ["0.5", "1e-1", "1e-400000", "5e-324", "1.0000000000000002"]) {
        const { status, body } = await queryTags(fraction);
        // JSON.parse rounds the smallest to zero.
        if (Number(fraction) === 0) expect(status).toBe(200);
        else expect({ status, body }).toEqual(wrongType("page"));
      }
      for (const fullBody of ["1.0", "1e0", "10e-1", "-0", "0.0"])
        expect(await queryTags(fullBody)).toMatchObject({ status: 200 });
      const metadata = { least: -1.7976931348623157e308, tiny: 5e-324, whole: 9007199254740991 };
      expect(await call("POST", "/v1/users", { email: "ada@example.com", metadata })).toMatchObject(
        created({ metadata }),
      );
      expect(await call("GET", "/v1/user-tags")).toEqual(ok([]));
    });
  });
});
