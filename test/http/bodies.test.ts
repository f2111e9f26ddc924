import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import {
  created,
  deleted,
  invalid,
  malformed,
  ok,
  tooLarge,
  unsupportedMediaType,
  wrongType,
} from "./answers.js";
import { jsonHeaders } from "./client.js";
import { onEveryMount } from "./every-mount.js";
import { exchange, head, parsed, sendAndEnd } from "./raw-socket.js";

const MIB = 1_048_576;
const ada = JSON.stringify({ email: "ada@example.com" });

/** The text, made so many bytes long by spaces, which JSON allows. */
const padded = (text: string, bytes: number) => text + " ".repeat(bytes - Buffer.byteLength(text));

/** A body whose length is not announced. */
function streamed(...parts: (string | Uint8Array)[]): ReadableStream<Uint8Array> {
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

/** JSON text with bytes in it that are no UTF-8. */
function jsonWith(bytes: readonly number[], start = '{"email":"ada@example.com","name":"', end = '"}') {
  return new Uint8Array([...Buffer.from(start), ...bytes, ...Buffer.from(end)]);
}

onEveryMount((http) => {
  const api = async () => {
    const organization = await http.organization();
    const post = async (
      body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
      headers: Record<string, string> = jsonHeaders,
    ) => {
      const answer = await organization.send("POST", "/v1/users", { headers, body });
      return { status: answer.status, body: answer.body };
    };
    return { ...organization, post };
  };

  describe("the media type of a body", () => {
    test.each([
      ...["application/json", "application/json;charset=utf-8", "application/json; charset=UTF-8"],
      ...['Application/JSON; Charset="utf-8"', "application/json ; charset=utf-8", "application/json; x=y"],
    ])("may be %s", async (type) => {
      const { post } = await api();
      expect(await post(ada, { "content-type": type })).toMatchObject({ status: 201 });
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
      const { post } = await api();
      expect(await post(ada, { "content-type": type })).toEqual(unsupportedMediaType);
    });

    test("must be told", async () => {
      const { post } = await api();
      expect(await post(new TextEncoder().encode(ada), {})).toEqual(unsupportedMediaType);
    });

    test("can't be compressed", async () => {
      const { post } = await api();
      const zipped = new Uint8Array(gzipSync(ada));
      for (const encoding of ["gzip", "GZIP", "deflate", "br", "identity, gzip", "unknown"]) {
        expect(await post(zipped, { ...jsonHeaders, "content-encoding": encoding }), encoding).toEqual(
          unsupportedMediaType,
        );
      }
      expect(await post(ada, { ...jsonHeaders, "content-encoding": "identity" })).toMatchObject({
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
      const { post } = await api();
      expect(await post(body)).toEqual(malformed);
    });

    test.each(["[]", "null", "true", "5", '"text"', "[{}]", ' [{"email":"ada@example.com"}]', "1e400"])(
      "of %j is no object, so malformed",
      async (body) => {
        const { post } = await api();
        expect(await post(body)).toEqual(malformed);
      },
    );

    test("may have a byte-order mark before it", async () => {
      const { post } = await api();
      expect(await post(`\ufeff${ada}`)).toMatchObject(created({ email: "ada@example.com" }));
    });

    test("may have white space around it", async () => {
      const { post } = await api();
      expect(await post(` \r\n\t${ada}\n `)).toMatchObject({ status: 201 });
    });

    test("in another encoding than UTF-8 is malformed", async () => {
      const { post } = await api();
      const utf16 = Buffer.from(`\ufeff${ada}`, "utf16le");
      for (const bytes of [utf16, utf16.subarray(2), Buffer.from(utf16).swap16()]) {
        expect(await post(new Uint8Array(bytes))).toEqual(malformed);
      }
    });

    test("that is not valid UTF-8 is malformed, wherever it is not", async () => {
      const { post, acme } = await api();
      const invalidBytes = [
        ...[[0xff], [0xfe, 0xff], [0xc3], [0xc3, 0x28], [0x80], [0xe4], [0xc0, 0x80], [0xed, 0xa0, 0x80]],
        ...[
          [0xf5, 0x80, 0x80, 0x80],
          [0xe2, 0x82],
          [0xf0, 0x9f, 0x98],
        ],
      ];
      for (const bytes of invalidBytes) {
        expect(await post(jsonWith(bytes)), bytes.join()).toEqual(malformed);
        expect(
          await post(jsonWith(bytes, '{"email":"ada@example.com","metadata":{"a":[{"', '":1}]}}')),
        ).toEqual(malformed);
        expect(await post(jsonWith(bytes, '{"email":"ada@example.com","unknown":"', '"}'))).toEqual(
          malformed,
        );
        expect(await post(jsonWith(bytes, '{"', '":1,"email":"ada@example.com"}'))).toEqual(malformed);
      }
      expect(await acme.contacts.list()).toMatchObject({ totalElements: 0 });
    });

    test("may have U+FFFD in it, where the host does not read it first", async () => {
      const { post } = await api();
      const name = "a\ufffdb";
      const answer = await post(JSON.stringify({ email: "ada@example.com", name }));
      if (http.mount.hostReadsBodies) expect(answer).toEqual(malformed);
      else expect(answer).toMatchObject(created({ name }));
    });

    test("may come in parts, cut inside a character", async () => {
      const { post } = await api();
      const bytes = new TextEncoder().encode(JSON.stringify({ email: "ada@example.com", name: "é😀" }));
      const parts = [...bytes].map((byte) => new Uint8Array([byte]));
      expect(await post(streamed(...parts))).toMatchObject(created({ name: "é😀" }));
    });

    test("with a key given twice is taken by its last value", async () => {
      const { post } = await api();
      expect(await post('{"email":5,"email":"ada@example.com","name":"a","name":"b"}')).toMatchObject(
        created({ name: "b" }),
      );
    });

    test("that inherits a field does not have it", async () => {
      const { post } = await api();
      expect(await post('{"__proto__":{"email":"ada@example.com"}}')).toEqual(invalid("email"));
      expect(await post('{"email":"ada@example.com","__proto__":{"name":"x","phone":5}}')).toMatchObject(
        created({ name: null, phone: null }),
      );
    });

    test("with numbers of any size is refused for them alone", async () => {
      const { call, send } = await api();
      const query = (size: string) =>
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
        expect([400, 422]).toContain((await query(huge)).status);
      }
      for (const fraction of ["0.5", "1e-1", "1e-400000", "5e-324", "1.0000000000000002"]) {
        const { status, body } = await query(fraction);
        // JSON.parse takes the smallest for zero.
        if (Number(fraction) === 0) expect(status).toBe(200);
        else expect({ status, body }).toEqual(wrongType("page"));
      }
      for (const whole of ["1.0", "1e0", "10e-1", "-0", "0.0"])
        expect(await query(whole)).toMatchObject({ status: 200 });
      const metadata = { least: -1.7976931348623157e308, tiny: 5e-324, whole: 9007199254740991 };
      expect(await call("POST", "/v1/users", { email: "ada@example.com", metadata })).toMatchObject(
        created({ metadata }),
      );
      expect(await call("GET", "/v1/user-tags")).toEqual(ok([]));
    });
  });

  describe("a body 100,000 levels deep", () => {
    const levels = 100_000;
    const deepArray = "[".repeat(levels) + "]".repeat(levels);
    const deepObject = `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

    test("is refused where the field can't take it", async () => {
      const { post } = await api();
      for (const deep of [deepArray, deepObject]) {
        expect(await post(deep.startsWith("[") ? deep : "[]")).toEqual(malformed);
        expect(await post(`{"email":"ada@example.com","name":${deep}}`)).toEqual(wrongType("name"));
        expect(await post(`{"email":"ada@example.com","metadata":{"a":${deep}}}`)).toEqual(
          invalid("metadata"),
        );
      }
      expect(await post(deepObject)).toEqual(invalid("email"));
    });

    test("is ignored in an unknown field", async () => {
      const { post } = await api();
      for (const [at, deep] of [deepArray, deepObject].entries()) {
        const email = `u${at}@example.com`;
        expect(await post(`{"unknown":${deep},"email":"${email}"}`)).toMatchObject(created({ email }));
      }
    });
  });

  describe("the metadata of a user", () => {
    test("takes any key, and changes nothing else by it", async () => {
      const { send, post, acme } = await api();
      const metadata =
        '{"__proto__":{"polluted":true,"__proto__":null},"constructor":{"prototype":{"polluted":true}},"prototype":1,"toString":2,"hasOwnProperty":3,"":4,"a.b":5}';
      const answer = await send("POST", "/v1/users", {
        headers: jsonHeaders,
        body: `{"email":"ada@example.com","metadata":${metadata}}`,
      });
      expect(answer.status).toBe(201);
      expect(JSON.stringify(answer.body)).toContain(metadata);
      const { content } = await acme.contacts.list();
      for (const path of ["/v1/users", `/v1/users/${content[0]?.id}`]) {
        expect(JSON.stringify((await send("GET", path)).body)).toContain(metadata);
      }
      expect(Reflect.get({}, "polluted")).toBeUndefined();
      expect(await post('{"email":"bob@example.com","metadata":{}}')).toMatchObject(
        created({ metadata: {} }),
      );
    });

    test("can't have NUL or lone surrogates in keys or texts, at any depth", async () => {
      const { call } = await api();
      for (const text of ["\0", "a\ud800", "\udc00b"]) {
        for (const metadata of [{ a: text }, { [text]: 1 }, { a: [{ b: [text] }] }, { a: { [text]: 1 } }]) {
          expect(await call("POST", "/v1/users", { email: "ada@example.com", metadata })).toEqual(
            invalid("metadata"),
          );
        }
      }
    });
  });

  describe("the size of a body", () => {
    test("may be 1 MiB", async () => {
      const { post } = await api();
      expect(await post(padded(ada, MIB))).toMatchObject({ status: 201 });
      expect(await post(streamed(padded(ada.replace("ada", "bob"), MIB)))).toMatchObject({ status: 201 });
    });

    test("can't be a byte more", async () => {
      const { post } = await api();
      expect(await post(padded(ada, MIB + 1))).toEqual(tooLarge);
      expect(await post(padded(ada, 3 * MIB))).toEqual(tooLarge);
      expect(await post(new Uint8Array(MIB + 1).fill(0xff))).toEqual(tooLarge);
    });

    test("can't be more when it is not announced, either", async () => {
      const { post } = await api();
      const limit = http.mount.streamLimit;
      expect(await post(streamed(padded(ada, limit), " "))).toEqual(tooLarge);
      expect(await post(streamed(...Array.from({ length: 32 }, () => " ".repeat(MIB / 8))))).toEqual(
        tooLarge,
      );
    });

    test("counts bytes, not characters", async () => {
      const { post } = await api();
      const body = JSON.stringify({ email: "ada@example.com", unknown: "é".repeat(MIB / 2) });
      expect(body.length).toBeLessThan(MIB);
      expect(await post(body)).toEqual(tooLarge);
    });
  });

  describe("an endpoint that takes no body", () => {
    const stampCard = async () => {
      const { acme, ...organization } = await http.organization();
      const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 2 });
      const { id } = await acme.passes.create(template.id, { user: { email: "ada@example.com" } });
      return { ...organization, path: `/v1/walletpasses/${id}` };
    };

    test("reads none", async () => {
      const { send, path } = await stampCard();
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

    test("minds a broken one only where the host reads it first", async () => {
      const { call, sendPlainly, path } = await stampCard();
      for (const body of ["{", padded("{", MIB + 1)]) {
        for (const [method, at] of [
          ["POST", `${path}/stamps/reset`],
          ["DELETE", path],
        ] as const) {
          const { status } = await sendPlainly(method, at, { headers: jsonHeaders, body });
          // It did not come by what the host has behind its parser, so it must have no effect.
          expect(http.mount.hostReadsBodies ? [400, 413] : [200, 204, 404]).toContain(status);
        }
        expect(await call("GET", path)).toMatchObject({ status: http.mount.hostReadsBodies ? 200 : 404 });
      }
    });
  });

  if (!http.mount.hasSocket) return;

  describe("a connection", () => {
    const users = (token: string, ...headers: string[]) =>
      head({
        method: "POST",
        path: `${http.mount.prefix}/v1/users`,
        headers: [`Authorization: Bearer ${token}`, "Content-Type: application/json", ...headers],
      });

    test("that ends in the middle of a body creates nothing and hurts nobody", async () => {
      const { token, acme, call } = await api();
      for (const [headers, body] of [
        ["Content-Length: 100", ada],
        ["Content-Length: 100", ""],
        ["Transfer-Encoding: chunked", `${ada.length.toString(16)}\r\n${ada}\r\n`],
        ["Transfer-Encoding: chunked", `ff\r\n${ada}`],
        ["Transfer-Encoding: chunked", `zz\r\n${ada}`],
      ] as const) {
        const answer = await sendAndEnd(http.port, users(token, headers), body);
        if (answer !== "") expect(parsed(answer).status).toBe(400);
      }
      expect(await acme.contacts.list()).toMatchObject({ totalElements: 0 });
      expect(await call("GET", "/v1/users")).toEqual(ok([]));
    });

    // A host's parser reads all of a body before it refuses it.
    if (!http.mount.hostReadsBodies) {
      test("is told of a body that is too large before it is sent", async () => {
        const { token } = await api();
        const announced = users(token, `Content-Length: ${64 * MIB}`);
        expect(parsed(await exchange(http.port, announced, "{"))).toMatchObject(tooLarge);
      });
    }

    test("may have a body with GET, which nobody needs", async () => {
      const { token } = await api();
      const path = `${http.mount.prefix}/v1/user-tags`;
      const headers = [`Authorization: Bearer ${token}`, "Content-Type: text/plain", "Content-Length: 1"];
      expect(parsed(await exchange(http.port, head({ path, headers }), "{"))).toMatchObject(ok([]));
    });
  });
});
