/** All words of a call that is shown as code. */
export const code = {
  title: "The same by a program",
  set: "Set",
  toToken: "to an API token that may read this. Your own is not in it.",
  forShell: "For a shell",
  forProgram: "For a program",
  copyCurl: "Copy as curl",
  copyClient: "Copy as client code",
  copied: "It was copied",
  done: "Done",
  item: "As code",
  itemHint: "The same for a program or a shell.",
};
