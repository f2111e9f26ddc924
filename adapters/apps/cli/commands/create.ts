import { type Command, Option } from "commander";
import type { CreateOptions } from "../actions/create.js";
import type { Output } from "../terminal/output.js";

/** Adds `loyalty-kit create`, which creates a project from an example. */
export function addCreate(program: Command, output: Output): void {
  program
    .command("create")
    .description("create a TypeScript starter project that stores its data in a SQLite file")
    .argument("<folder>", "new or empty folder for the project")
    .addOption(
      new Option(
        "--template <template>",
        "project to start from: cafe (sign-up, cards, a till, a segment, and a webhook), express (a shop with orders), or hono (an app with its own login)",
      )
        .choices(["cafe", "express", "hono"])
        .default("cafe"),
    )
    .option(
      "--from <file>",
      "loyalty-kit tarball to install in the project (default: the package this command was installed from)",
    )
    .action(async (folder: string, options: CreateOptions) => {
      const { createProject } = await import("../actions/create.js");
      createProject(folder, options, output);
    });
}
