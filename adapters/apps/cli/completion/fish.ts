import {
  argumentWords,
  type CommandNode,
  type Completion,
  listPaths,
  type NodeOption,
  valueKeys,
} from "./command-tree.js";

/** Returns the completion script for fish 3.0 or later. */
export function fishCompletion(places: readonly CommandNode[]): string {
  const keys = valueKeys(places).map(({ key }) => key);
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
            case ${listPaths(places).map(quoted).join(" ")}
                set place "$place/$word"
            case ${keys.map(quoted).join(" ")}
                set takes "$word"
        end
    end
    test "$place" = "$argv[1]"
end
complete -c loyalty-kit -f
${places.flatMap(formatFishLines).join("\n")}`;
}

function formatFishLines(place: CommandNode): string[] {
  const formatLine = (options: string) =>
    `complete -c loyalty-kit -n '__loyalty_kit_at "${place.path}"' ${options}`;
  return [
    ...place.commands.map(({ word, help }) => formatLine(`-a ${quoted(word)} -d ${quoted(help)}`)),
    ...argumentWords(place).map((word) => formatLine(`-a ${quoted(word)}`)),
    ...(place.argument === "file" ? [formatLine("-F")] : []),
    ...place.options.map((option) =>
      formatLine(`-l ${stripDashes(option)} -d ${quoted(option.help)}${takenBy(option)}`),
    ),
  ];
}

function stripDashes({ word }: Completion): string {
  return word.replace(/^--/, "");
}

/** Returns fish's flags for the kind of value that an option takes. */
function takenBy({ values }: NodeOption): string {
  if (values === null) return "";
  if (values === "file") return " -r -F";
  return values === "text" ? " -x" : ` -x -a ${quoted(values.join(" "))}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
