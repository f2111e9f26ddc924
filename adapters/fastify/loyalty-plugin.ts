import { Readable } from "node:stream";
import type {
  FastifyInstance,
  FastifyPluginCallback,
  FastifyReply,
  FastifyRequest,
  preParsingHookHandler,
} from "fastify";
import type { HttpApi } from "../http/index.js";
import { bodyOf, requestOf } from "../http/node.js";
import { withoutOrigin } from "../http/request/path.js";
import { replyWith } from "./reply.js";

/** What the plugin serves. */
export interface LoyaltyPluginOptions {
  readonly api: HttpApi;
}

/** `/v1` and every other version, so that an unknown one is answered by the API too. */
const paths = ["/v:version(^[0-9]+$)", "/v:version(^[0-9]+$)/*"];

/** A content type that Fastify takes. Others it refuses by itself, even where the API needs no body. */
const wellFormedType = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+[ \t]*(?:;|$)/;

/**
 * Serves the API in a Fastify app: `fastify.register(loyaltyPlugin, { api })`, or with a `prefix`. It takes the
 * paths of the API and leaves all others to the host. Bodies are read by the API, whatever parsers the host has.
 *
 * Fastify answers a malformed percent-encoding before any plugin; `frameworkErrors` is for that.
 */
export const loyaltyPlugin: FastifyPluginCallback<LoyaltyPluginOptions> = Object.assign(register, {
  // Another version may be installed beside the package, for what does not use this: Fastify refuses it by name.
  [Symbol.for("plugin-meta")]: { name: "loyalty-kit", fastify: "5.x" },
});

function register(
  instance: FastifyInstance,
  { api }: LoyaltyPluginOptions,
  done: (error?: Error) => void,
): void {
  const depth = instance.prefix.split("/").filter((segment) => segment !== "").length;

  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser("*", (_request, payload, parsed) => parsed(null, payload));
  for (const path of [...paths, ...api.extraPaths]) instance.all(path, { preParsing: acceptAnyType }, answer);
  // Methods that Fastify does not route end up here.
  instance.register(
    (scope, _options, registered) => {
      scope.setNotFoundHandler(answer);
      registered();
    },
    { prefix: "/v1" },
  );
  done();

  // What it gave Fastify as a promise, Fastify would wait for again.
  function answer(request: FastifyRequest, reply: FastifyReply): void {
    const { raw, body, ip } = request;
    const target = withoutOrigin(raw.url ?? "");
    const end = endOfSegments(target, depth);
    const placed = {
      url: target.slice(end),
      prefix: target.slice(0, end),
      body: bodyOf(raw, body instanceof Readable ? body : raw),
      address: ip,
      source: request,
    };
    api
      .handle(requestOf(raw, reply.raw, placed))
      .then((answer) => void replyWith(answer, reply))
      .catch((error: unknown) => reply.send(error));
  }
}

/** Shows Fastify another content type than one that it refuses. The API reads the one that was sent. */
const acceptAnyType: preParsingHookHandler = (request, _reply, payload, done) => {
  const type = request.headers["content-type"];
  if (type !== undefined && !wellFormedType.test(type)) {
    request.headers = { ...request.headers, "content-type": "application/octet-stream" };
  }
  done(null, payload);
};

/** Where a path goes on behind its first segments. Counting them holds for prefixes with parameters as well. */
function endOfSegments(target: string, segments: number): number {
  let at = 0;
  for (let passed = 0; passed < segments; passed += 1) at = target.indexOf("/", at + 1);
  return at;
}
