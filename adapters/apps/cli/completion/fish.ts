import {
  type CommandNode,
  type Completion,
  listArgumentWords,
  listPaths,
  listValueKeys,
  type NodeOption,
} from "./command-tree.js";

/** Returns the completion script for fish 3.0 or later. */
export function buildFishCompletion(nodes: readonly CommandNode[]): string {
  const keys = listValueKeys(nodes).map(({ key }) => key);
  return `# Completion of loyalty-kit for fish: loyalty-kit completion fish | source
function __loyalty_kit_at
    set -l place ""
    set -l takes ""
    for word in (commandline -opc)[2..-1]
        if test -n "$takes"
            set takes ""
            continue
        end
        switch "$place/$word"
            case ${listPaths(nodes).map(quote).join(" ")}
                set place "$place/$word"
            case ${keys.map(quote).join(" ")}
                set takes "$word"
        end
    end
    test "$place" = "$argv[1]"
end
complete -c loyalty-kit -f
${nodes.flatMap(formatFishLines).join("\n")}`;
}

function formatFishLines(node: CommandNode): string[] {
  const formatLine = (options: string) =>
    `complete -c loyalty-kit -n '__loyalty_kit_at "${node.path}"' ${options}`;
  return [
    ...node.commands.map(({ word, help }) => formatLine(`-a ${quote(word)} -d ${quote(help)}`)),
    ...listArgumentWords(node).map((word) => formatLine(`-a ${quote(word)}`)),
    ...(node.argument === "file" ? [formatLine("-F")] : []),
    ...node.options.map((option) =>
      formatLine(`-l ${stripDashes(option)} -d ${quote(option.help)}${formatValueFlags(option)}`),
    ),
  ];
}

function stripDashes({ word }: Completion): string {
  return word.replace(/^--/, "");
}

/** Returns fish's flags for the kind of value that an option takes. */
function formatValueFlags({ values }: NodeOption): string {
  if (values === null) return "";
  if (values === "file") return " -r -F";
  return values === "text" ? " -x" : ` -x -a ${quote(values.join(" "))}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
