import Fastify from "fastify";
import { LoyaltyService } from "loyalty-kit";
import { loyaltyPlugin } from "loyalty-kit/fastify";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { sqliteStorage } from "loyalty-kit/sqlite";

const [, , file = ""] = process.argv;
const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
const fastify = Fastify();
fastify.register(loyaltyPlugin, { api: createHttpApi(loyalty, { authenticate: apiTokens(loyalty) }) });
console.log(await fastify.listen({ port: 0 }));
