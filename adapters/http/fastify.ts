import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { HttpApi } from "./http-api.js";
import {
  closeIfUnread,
  isEncrypted,
  isForwardedHttps,
  toHttpBody,
  toHttpRequest,
  toReadable,
} from "./node.js";
import { type HttpResponse, normalizePrefix, stripOrigin } from "./request/http-message.js";

export interface LoyaltyPluginOptions {
  /** The API to serve, from `createHttpApi`. */
  readonly api: HttpApi;
}

/**
 * The parts of a Fastify request that the plugin uses. They are declared here because Fastify's own types are installed only on
 * hosts that use Fastify.
 */
export interface PluginRequest {
  /** The underlying `node:http` request. */
  readonly raw: IncomingMessage;
  /** The body, as the host's parser read it. */
  readonly body: unknown;
  /** The address of the client or of the last proxy. */
  readonly ip: string;
  /** The addresses in the `X-Forwarded-For` header, if Fastify trusts the proxy. */
  readonly ips?: string[] | undefined;
  /** The headers, with names in lowercase. */
  headers: IncomingMessage["headers"];
}

/** The parts of a Fastify reply that the plugin uses. */
export interface PluginReply {
  /** The underlying `node:http` response. */
  readonly raw: ServerResponse;
  /** Sets the HTTP status. Returns the reply for chaining. */
  code(status: number): PluginReply;
  /** Adds headers to the response. Returns the reply for chaining. */
  headers(headers: Record<string, string>): PluginReply;
  /** Sends the response with this body, or without a body if `payload` is omitted. */
  send(payload?: unknown): PluginReply;
}

/** The parts of a Fastify app that the plugin uses. */
export interface PluginHost {
  /** The path prefix under which the plugin is registered. */
  readonly prefix: string;
  /** The HTTP methods that the app can route, such as `GET`. */
  readonly supportedMethods: string[];
  /** Removes the content type parsers that the plugin inherited from the app. */
  removeAllContentTypeParsers(): void;
  /** Adds a content type parser that applies only to the plugin's own routes. */
  addContentTypeParser(
    contentType: string,
    parser: (
      request: PluginRequest,
      payload: IncomingMessage,
      done: (error: Error | null, body?: unknown) => void,
    ) => void,
  ): void;
  /** Registers a route. Its path is relative to the plugin's `prefix`. */
  route(options: PluginRoute): unknown;
  /** Registers a nested plugin. Its paths are relative to `prefix`. */
  register(plugin: object, options: { prefix: string }): unknown;
}

/** A Fastify scope with its own prefix. */
interface PluginScope {
  setNotFoundHandler(handler: PluginRoute["handler"]): unknown;
}

/** A plugin function that can be passed to Fastify's `register`. */
export type LoyaltyPlugin = (
  instance: PluginHost,
  options: LoyaltyPluginOptions,
  done: (error?: Error) => void,
) => void;

/** The subset of Fastify's route options that the plugin uses to register a route. */
export interface PluginRoute {
  /** The HTTP methods that the route handles, such as `GET`. */
  method: string[];
  /** The route's path, relative to the plugin's `prefix`. */
  url: string;
  /** A Fastify hook that runs before the body is parsed. */
  preParsing?: (
    request: PluginRequest,
    reply: PluginReply,
    payload: Readable,
    done: (error: Error | null, payload: Readable) => void,
  ) => void;
  /** Handles a request. Must send the response itself instead of returning it. */
  handler: (request: PluginRequest, reply: PluginReply) => void;
}

/**
 * Route paths for all API versions. The current version has literal paths, which Fastify matches fastest. Patterns cover all other
 * versions, because the API also responds to unknown versions.
 */
const apiPaths = ["/v1", "/v1/*", "/v:version(^[0-9]+$)", "/v:version(^[0-9]+$)/*"];

/** Methods for which Fastify ignores the content type. */
const bodylessMethods = ["GET", "HEAD"];

/** Matches content types that Fastify accepts. Fastify rejects every other content type, even where the API needs no body. */
const wellFormedType = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+[ \t]*(?:;|$)/;

/**
 * A Fastify plugin that serves the API. Register it with `fastify.register(loyaltyPlugin, { api })`, optionally with a `prefix`. It
 * handles the API's paths and leaves all other paths to the host. The API reads request bodies itself, regardless of the host's
 * parsers.
 *
 * Fastify rejects malformed percent-encoding before any plugin runs. To handle such requests too, use {@link frameworkErrors}.
 *
 * @example
 * import Fastify from "fastify";
 * import { loyaltyPlugin } from "loyalty-kit/http";
 *
 * const fastify = Fastify();
 * await fastify.register(loyaltyPlugin, { api, prefix: "/loyalty" });
 * await fastify.listen({ port: 3000 });
 */
export const loyaltyPlugin: LoyaltyPlugin = Object.assign(register, {
  // The host may have another Fastify version installed for other purposes. With this metadata, Fastify rejects that version and
  // names this plugin.
  [Symbol.for("plugin-meta")]: { name: "loyalty-kit", fastify: "5.x" },
});

function register(instance: PluginHost, { api }: LoyaltyPluginOptions, done: (error?: Error) => void): void {
  const depth = instance.prefix.split("/").filter((segment) => segment !== "").length;

  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser("*", (_request, payload, parsed) => parsed(null, payload));
  const otherMethods = instance.supportedMethods.filter((method) => !bodylessMethods.includes(method));
  for (const url of [...apiPaths, ...api.extraPaths]) {
    instance.route({ method: bodylessMethods, url, handler: respond });
    instance.route({ method: otherMethods, url, preParsing: acceptAnyType, handler: respond });
  }
  // Methods that Fastify doesn't route end up here.
  instance.register(
    (scope: PluginScope, _options: object, finish: () => void) => {
      scope.setNotFoundHandler(respond);
      finish();
    },
    { prefix: "/v1" },
  );
  done();

  // Returns nothing, because Fastify would wait for a returned promise too.
  function respond(request: PluginRequest, reply: PluginReply): void {
    const { raw, body, ip, ips } = request;
    const target = stripOrigin(raw.url ?? "");
    const end = findEndOfSegments(target, depth);
    const mountedFields = {
      url: target.slice(end),
      prefix: target.slice(0, end),
      body: toHttpBody(raw, body instanceof Readable ? body : raw),
      address: ip,
      // `ips` is set only if Fastify trusts proxies. `protocol` is not used because it reports only the last proxy's claim.
      isHttps: isEncrypted(raw) || (ips !== undefined && isForwardedHttps(raw)),
      source: request,
    };
    api
      .handle(toHttpRequest(raw, reply.raw, mountedFields))
      .then((response) => void sendFastifyReply(response, reply))
      .catch((error: unknown) => reply.send(error));
  }
}

/** Replaces a content type that Fastify would reject. The API reads the original one from the raw request. */
const acceptAnyType: NonNullable<PluginRoute["preParsing"]> = (request, _reply, payload, done) => {
  const type = request.headers["content-type"];
  if (type !== undefined && !wellFormedType.test(type)) {
    request.headers = { ...request.headers, "content-type": "application/octet-stream" };
  }
  done(null, payload);
};

/** Returns the index where a path continues after its first segments. Counting segments also works for prefixes with parameters. */
function findEndOfSegments(target: string, segments: number): number {
  let index = 0;
  for (let count = 0; count < segments; count += 1) index = target.indexOf("/", index + 1);
  return index;
}

/** Sends a response through Fastify, so that the host's hooks and headers apply. */
export function sendFastifyReply({ status, headers, body }: HttpResponse, reply: PluginReply): PluginReply {
  reply.code(status).headers(headers);
  if (body === null) return reply.send();
  if (typeof body === "string") return reply.send(body);
  closeIfUnread(reply.raw);
  return reply.send(body instanceof Uint8Array ? Buffer.from(body) : toReadable(body));
}

export interface FrameworkErrorsOptions {
  /** The `prefix` that the host passes when it registers the plugin. */
  readonly prefix?: string;
}

/**
 * Creates a handler for requests that Fastify can't route because of malformed percent-encoding in the path. The handler responds
 * to requests for the API's paths and leaves all other errors to Fastify. Pass it to Fastify: `Fastify({ frameworkErrors:
 * frameworkErrors(api) })`. Fastify doesn't apply `trustProxy` to these requests, so the client address is the socket's remote
 * address.
 * @example
 * import Fastify from "fastify";
 * import { frameworkErrors, loyaltyPlugin } from "loyalty-kit/http";
 *
 * const fastify = Fastify({ frameworkErrors: frameworkErrors(api) });
 * await fastify.register(loyaltyPlugin, { api });
 */
export function frameworkErrors(
  api: HttpApi,
  options: FrameworkErrorsOptions = {},
): (error: Error & { readonly code: string }, request: PluginRequest, reply: PluginReply) => void {
  const prefix = normalizePrefix(options.prefix ?? "");
  return (error, { raw, ip }, reply) => {
    const target = stripOrigin(raw.url ?? "");
    const url = target.slice(prefix.length);
    if (error.code !== "FST_ERR_BAD_URL" || !target.startsWith(`${prefix}/`) || !api.owns(url)) {
      reply.send(error);
      return;
    }
    void api
      .handle(toHttpRequest(raw, reply.raw, { url, prefix, body: toHttpBody(raw), address: ip }))
      .then((response) => sendFastifyReply(response, reply));
  };
}
