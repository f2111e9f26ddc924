import type { FastifyReply } from "fastify";
import type { HttpResponse } from "../http/index.js";
import { cutUnread, readableOf } from "../http/node.js";

/** Sends an answer through Fastify, so that the host's hooks and headers apply to it. */
export function replyWith({ status, headers, body }: HttpResponse, reply: FastifyReply): FastifyReply {
  reply.code(status).headers(headers);
  if (body === null) return reply.send();
  if (typeof body === "string") return reply.send(body);
  cutUnread(reply.raw);
  return reply.send(body instanceof Uint8Array ? Buffer.from(body) : readableOf(body));
}
