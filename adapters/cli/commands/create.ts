import type { Command } from "commander";
import type { Output } from "../terminal/output.js";

/** `loyalty-kit create` */
export function addCreate(program: Command, output: Output): void {
  program
    .command("create")
    .description("create a starter project: a café with sign-up, card, till, a segment and a webhook")
    .argument("<folder>", "empty or new folder")
    .action(async (folder: string) => {
      const { createProject } = await import("../actions/create.js");
      createProject(folder, output);
    });
}
