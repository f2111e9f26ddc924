import type { MailTexts } from "./texts.js";

export const fr: MailTexts = {
  subject: "Votre carte : {card}",
  greeting: "Bonjour {name},",
  namelessGreeting: "Bonjour,",
  yourCard: "Voici votre carte. Gardez cet e-mail : son lien mène à votre carte à tout moment.",
  askedAgain: "Une carte a été demandée avec votre adresse e-mail. Vous en avez déjà une, et la voici.",
  open: "Ouvrir votre carte",
  why: "Vous recevez cet e-mail parce que votre adresse a été indiquée pour cette carte. Si ce n’était pas vous, ouvrez la carte et dites-y que nous ne devons plus vous écrire.",
  followLink: "En savoir plus",
  whyNews: "Vous recevez cet e-mail parce que vous avez accepté de recevoir des nouvelles par e-mail.",
  whyTest: "Cet e-mail est un test, envoyé à vous seul.",
};
