import {
  type CommandNode,
  type Completion,
  listArgumentWords,
  listEnumKeys,
  listFileKeys,
  listPaths,
  listValueKeys,
} from "./command-tree.js";

/** Returns the completion script for zsh. The script can be placed in `$fpath` or sourced after `compinit`. */
export function buildZshCompletion(nodes: readonly CommandNode[]): string {
  const keys = listValueKeys(nodes).map(({ key }) => key);
  return `#compdef loyalty-kit
# Completion of loyalty-kit for zsh: source <(loyalty-kit completion zsh)
_loyalty_kit() {
  local place= takes= word at
  local -a entries
  for ((at = 2; at < CURRENT; at++)); do
    word=\${words[at]}
    if [[ -n $takes ]]; then
      takes=
      continue
    fi
    case "$place/$word" in
      ${listPaths(nodes).join("|")}) place="$place/$word" ;;
      ${keys.join("|")}) takes="$place/$word" ;;
    esac
  done
  if [[ -z $takes && $PREFIX == --*=* ]]; then
    takes="$place/\${PREFIX%%=*}"
    compset -P '*='
  fi
  if [[ -n $takes ]]; then
    case "$takes" in
${listEnumKeys(nodes)
  .map(({ key, words }) => `      ${key}) entries=(${words.join(" ")}) ;;`)
  .join("\n")}
      ${listFileKeys(nodes).join("|")}) _files; return ;;
    esac
  else
    case "$place" in
${nodes.map(formatZshCase).join("\n")}
    esac
  fi
  _describe loyalty-kit entries
}
if [[ \${funcstack[1]} == _loyalty_kit ]]; then
  _loyalty_kit "$@"
else
  compdef _loyalty_kit loyalty-kit
fi`;
}

function formatZshCase(node: CommandNode): string {
  const { path, commands, options, argument } = node;
  const entries = [...listArgumentWords(node).map(quote), ...[...commands, ...options].map(formatEntry)];
  const fileCompletion = argument === "file" ? " [[ $PREFIX != -* ]] && { _files; return; };" : "";
  return `      "${path}")${fileCompletion} entries=(${entries.join(" ")}) ;;`;
}

/** Formats an entry, in which a colon separates the word from its description. */
function formatEntry({ word, help }: Completion): string {
  return quote(`${word}:${help}`);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
