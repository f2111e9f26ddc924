/** UI text for the dialog that shows an API call as code. */
export const code = {
  title: "View as code",
  set: "Set",
  toToken: "to an API token that can read this data. Your own token isn’t included.",
  forShell: "Command line",
  forProgram: "TypeScript",
  copyCurl: "Copy as curl",
  copyClient: "Copy as client code",
  copied: "Copied",
  done: "Done",
  item: "View as code",
  itemHint: "Get the code to run this from a program or the command line.",
};
