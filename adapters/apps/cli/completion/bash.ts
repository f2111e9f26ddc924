import {
  type CommandNode,
  listArgumentWords,
  listEnumKeys,
  listFileKeys,
  listPaths,
  listValueKeys,
} from "./command-tree.js";

/**
 * Returns the completion script for bash 3.2 or later. The script looks only at the words before the cursor and doesn't run any
 * other programs.
 */
export function buildBashCompletion(nodes: readonly CommandNode[]): string {
  const keys = listValueKeys(nodes).map(({ key }) => key);
  return `# Completion of loyalty-kit for bash: source <(loyalty-kit completion bash)
_loyalty_kit() {
  local cur=\${COMP_WORDS[COMP_CWORD]} place= takes= words= word at
  for ((at = 1; at < COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    # bash takes --log=json for three words.
    [[ $word == "=" ]] && continue
    if [[ -n $takes ]]; then
      takes=
      continue
    fi
    case "$place/$word" in
      ${listPaths(nodes).join("|")}) place="$place/$word" ;;
      ${keys.join("|")}) takes="$place/$word" ;;
    esac
  done
  [[ $cur == "=" ]] && cur=
  if [[ -n $takes ]]; then
    case "$takes" in
${listEnumKeys(nodes)
  .map(({ key, words }) => `      ${key}) words="${words.join(" ")}" ;;`)
  .join("\n")}
      ${listFileKeys(nodes).join("|")}) _loyalty_kit_files "$cur"; return ;;
    esac
  else
    case "$place" in
${nodes.map(formatBashCase).join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
_loyalty_kit_files() {
  local IFS=$'\\n'
  compopt -o filenames 2> /dev/null
  COMPREPLY=($(compgen -f -- "$1"))
}
complete -F _loyalty_kit loyalty-kit`;
}

function formatBashCase(node: CommandNode): string {
  const { path, commands, options, argument } = node;
  const words = [...commands, ...options].map(({ word }) => word);
  const fileCompletion =
    argument === "file" ? ` [[ $cur != -* ]] && { _loyalty_kit_files "$cur"; return; };` : "";
  return `      "${path}")${fileCompletion} words="${[...listArgumentWords(node), ...words].join(" ")}" ;;`;
}
