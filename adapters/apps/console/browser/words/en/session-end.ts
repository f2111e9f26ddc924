/** UI text for the dialog that asks the user to sign in again. */
export const sessionEnd = {
  signIn: "Sign in",
  sessionEnded: "Your session has ended",
  signInAgain: "Sign in again to continue.",
  nothingIsLost: "Sign in again to continue where you left off. Nothing is lost.",
  signInElsewhere: "Sign in again in another tab, then continue here. Nothing is lost.",
  openSignIn: "Open sign-in page",
  continue: "Continue",
  apiToken: "API token",
  invalidToken: "This API token isn’t valid.",
  somethingWentWrong: "Something went wrong. Try again in a moment.",
};
