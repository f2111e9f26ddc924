/** UI text for the page that shows operators what the check of the server finds. */
export const server = {
  about:
    "Only people who run the server see this page. It shows what “loyalty-kit doctor” finds. After you change a setting, restart the server and check again.",
  checking: "Checking. This can take half a minute.",
  checkedAt: (time: string) => `Last checked at ${time}`,
  checkAgain: "Check again",
  failed: "The check didn’t finish.",
  states: { ok: "OK", off: "Not set up", warning: "Warning", problem: "Problem" },
  parts: {
    mail: "Email",
    apple: "Apple Wallet",
    google: "Google Wallet",
    wallets: "Both wallets",
    database: "Database",
    settings: "Server settings",
    clock: "Clock",
    disk: "Disk",
    runtime: "Node.js",
  },
  rest: "Everything else",
  mailNeeds: "Start the server with a mail server and a sender address:",
  mailTest: "To send a test email, run:",
  linkWithoutMail: "Until email works, this command prints a sign-in link for a team member:",
  appleNeeds:
    "Start the server with a pass type certificate from Apple’s developer site, its key, and Apple’s intermediate certificate:",
  googleNeeds:
    "Start the server with an issuer from Google’s Pay & Wallet Console, and a key for a service account with access to it:",
  learnMore: "Learn more:",
};
