/** UI text for the dialog that shows an API call as code. */
export const code = {
  title: "As code",
  set: "Set",
  toToken: "to an API token that may read this. Your own is not in it.",
  forShell: "For a shell",
  forProgram: "For a program",
  copyCurl: "Copy as curl",
  copyClient: "Copy as client code",
  copied: "Copied",
  done: "Done",
  item: "As code",
  itemHint: "Run this from a program or a shell.",
};
