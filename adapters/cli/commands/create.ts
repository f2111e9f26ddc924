import type { Command } from "commander";
import type { Output } from "../terminal/output.js";

/** `loyalty-kit create` */
export function addCreate(program: Command, output: Output): void {
  program
    .command("create")
    .description("make a project to begin with: a café with sign-up, card, till, a segment and a webhook")
    .argument("<folder>", "a folder that is empty, or does not exist yet")
    .action(async (folder: string) => {
      const { createProject } = await import("../actions/create.js");
      createProject(folder, output);
    });
}
