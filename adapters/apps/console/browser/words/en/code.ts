/** UI text for the dialog that shows an API call as code. */
export const code = {
  title: "As code",
  set: "Set",
  toToken: "to an API token that can read this data. Your own token isn’t included.",
  forShell: "Command line",
  forProgram: "TypeScript",
  copyCurl: "Copy as curl",
  copyClient: "Copy as client code",
  copied: "Copied",
  done: "Done",
  item: "As code",
  itemHint: "Run this from a program or a shell.",
};
