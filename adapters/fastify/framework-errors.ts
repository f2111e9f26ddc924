import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { HttpApi } from "../http/index.js";
import { bodyOf, requestOf } from "../http/node.js";
import { normalizedPrefix, withoutOrigin } from "../http/request/path.js";
import { replyWith } from "./reply.js";

/** Where the API is mounted. */
export interface FrameworkErrorsOptions {
  /** The `prefix` with which the plugin is registered. */
  readonly prefix?: string;
}

/**
 * What Fastify can't route because of a malformed percent-encoding, the API answers on its own paths; all else
 * stays as Fastify has it: `Fastify({ frameworkErrors: frameworkErrors(api) })`. Such a request Fastify does not look at
 * by its `trustProxy`: the client's address is the socket's.
 */
export function frameworkErrors(
  api: HttpApi,
  options: FrameworkErrorsOptions = {},
): (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => void {
  const prefix = normalizedPrefix(options.prefix ?? "");
  return (error, { raw, ip }, reply) => {
    const target = withoutOrigin(raw.url ?? "");
    const url = target.slice(prefix.length);
    if (error.code !== "FST_ERR_BAD_URL" || !target.startsWith(`${prefix}/`) || !api.owns(url)) {
      reply.send(error);
      return;
    }
    void api
      .handle(requestOf(raw, reply.raw, { url, prefix, body: bodyOf(raw), address: ip }))
      .then((answer) => replyWith(answer, reply));
  };
}
