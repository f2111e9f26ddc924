import { defineConfig } from "@adonisjs/core/app";

export default defineConfig({
  providers: [
    () => import("@adonisjs/core/providers/app_provider"),
    () => import("@adonisjs/core/providers/hash_provider"),
    () => import("./loyalty_provider.js"),
  ],
});
