import "reflect-metadata";
import {
  Body,
  Controller,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  type OnApplicationShutdown,
  Post,
} from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi, nodeListener } from "loyalty-kit/http";
import { sqliteStorage } from "loyalty-kit/sqlite";

const loyalty = {
  provide: LoyaltyService,
  useFactory: async () => new LoyaltyService({ storage: await sqliteStorage("loyalty.db") }),
};

@Controller("orders")
class OrdersController {
  constructor(private readonly loyalty: LoyaltyService) {}

  /** Nest answers a refusal with its status. */
  @Post()
  order(@Body() { card }: { card: string }) {
    return this.loyalty.organization("cafe").stamps.add(card);
  }
}

@Module({ controllers: [OrdersController], providers: [loyalty] })
class AppModule implements NestModule, OnApplicationShutdown {
  constructor(private readonly loyalty: LoyaltyService) {}

  configure(consumer: MiddlewareConsumer) {
    const options = { authenticate: apiTokens(this.loyalty), basePath: "/loyalty" };
    const listener = nodeListener(createHttpApi(this.loyalty, options));
    consumer.apply(listener).forRoutes("/loyalty/*path");
  }

  onApplicationShutdown() {
    return this.loyalty.close();
  }
}

async function start() {
  const app = await NestFactory.create(AppModule, { logger: ["error", "warn"] });
  app.enableShutdownHooks();
  await app.listen(process.env.PORT ?? 3000);
}

void start();
