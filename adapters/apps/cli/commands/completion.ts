import { Argument, type Command } from "commander";
import type { CommandNode } from "../completion/command-tree.js";
import type { Output } from "../terminal/output.js";

/** Completion scripts keyed by shell. Each script is only loaded when it is requested. */
const scripts: Readonly<Record<string, () => Promise<(nodes: readonly CommandNode[]) => string>>> = {
  bash: async () => (await import("../completion/bash.js")).buildBashCompletion,
  zsh: async () => (await import("../completion/zsh.js")).buildZshCompletion,
  fish: async () => (await import("../completion/fish.js")).buildFishCompletion,
};

/** Adds `loyalty-kit completion`, which prints a completion script for bash, zsh, or fish. */
export function addCompletion(program: Command, output: Output): void {
  program
    .command("completion")
    .description("print a shell completion script")
    .addArgument(new Argument("<shell>", "shell").choices(Object.keys(scripts)))
    .addHelpText(
      "after",
      `
Add this line to your shell's startup file:

bash, in ~/.bashrc:                    source <(loyalty-kit completion bash)
zsh, in ~/.zshrc, after compinit:      source <(loyalty-kit completion zsh)
fish, in ~/.config/fish/config.fish:   loyalty-kit completion fish | source`,
    )
    .action(async (shell: string) => {
      const { flattenCommands } = await import("../completion/command-tree.js");
      const script = await scripts[shell]?.();
      if (script !== undefined) output.result(script(flattenCommands(program)));
    });
}
