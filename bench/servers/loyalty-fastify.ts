import Fastify from "fastify";
import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi, loyaltyPlugin } from "loyalty-kit/http";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { reportProcessorTime } from "./processor-time.js";

const [, , file = "", limits] = process.argv;
const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
const fastify = Fastify();
// The limits do their usual work, but they are so high that no request reaches them.
const maxRates = { requests: 1_000_000_000, seconds: 86_400 };
const rateLimits = limits === "off" ? false : { perToken: maxRates };
const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), rateLimits });
fastify.register(loyaltyPlugin, { api });
reportProcessorTime();
console.log(await fastify.listen({ port: 0 }));
