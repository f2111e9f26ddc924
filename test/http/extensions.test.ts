import type { HttpExtension, HttpRequest } from "loyalty-kit/http";
import { expect, it } from "vitest";
import { testOnEveryMount } from "./every-mount.js";

const bytes = Uint8Array.of(0, 255, 137, 80);

const extension: HttpExtension = {
  paths: ["/place", "/places/*"],
  async handle({ method, url, prefix }: HttpRequest) {
    if (url.startsWith("/places/bytes")) {
      return { status: 200, headers: { "content-type": "image/png" }, body: bytes };
    }
    return { status: 200, headers: {}, body: `${method} ${prefix}${url}` };
  },
};

testOnEveryMount(
  (http) => {
    const fetchPath = (path: string, init: RequestInit = {}) =>
      http.served.fetch(`${http.served.baseUrl}${path}`, init);

    it("an extension handles its paths, and those below a path that ends in a star", async () => {
      const { prefix } = http.mount;
      expect(await (await fetchPath("/place?x=1")).text()).toBe(`GET ${prefix}/place?x=1`);
      expect(await (await fetchPath("/places/a/b")).text()).toBe(`GET ${prefix}/places/a/b`);
      const postResponse = await fetchPath("/places/a", {
        method: "POST",
        body: new URLSearchParams({ x: "1" }),
      });
      expect(await postResponse.text()).toBe(`POST ${prefix}/places/a`);
    });

    it("an extension doesn't handle paths that only resemble its own", async () => {
      for (const path of ["/place/a", "/placed", "/places"]) expect((await fetchPath(path)).status).toBe(404);
    });

    it("a response may be bytes, and HEAD returns their number", async () => {
      const response = await fetchPath("/places/bytes");
      expect(response.headers.get("content-type")).toBe("image/png");
      expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
      const head = await fetchPath("/places/bytes", { method: "HEAD" });
      expect([head.headers.get("content-length"), await head.text()]).toEqual(["4", ""]);
    });
  },
  { extensions: () => [extension] },
);
