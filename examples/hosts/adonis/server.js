import { Ignitor } from "@adonisjs/core";
import { defineConfig as bodyParser } from "@adonisjs/core/bodyparser";
import { defineConfig as http } from "@adonisjs/core/http";
import { defineConfig as logger } from "@adonisjs/core/logger";

// A generated project has these in `config/`.
const config = {
  app: { appKey: process.env.APP_KEY ?? "a key of 32 letters for examples", http: http({}) },
  bodyparser: bodyParser({}),
  logger: logger({ default: "app", loggers: { app: { level: "error" } } }),
};

new Ignitor(new URL("./", import.meta.url), { importer: (file) => import(file) })
  .tap((app) => {
    app.useConfig(config);
    app.listen("SIGTERM", () => app.terminate());
  })
  .httpServer()
  .start();
