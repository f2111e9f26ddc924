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
  invitationSubject: "Votre accès à {shop}",
  invitation: "Vous avez été invité à travailler avec {shop}. Ouvrez ce lien pour vous connecter :",
  signInSubject: "Votre lien de connexion",
  signInAsked:
    "Quelqu’un, sans doute vous, veut se connecter avec cette adresse. Ouvrez le lien pour continuer :",
  signIn: "Se connecter",
  linkOnce:
    "Le lien ne sert qu’une fois, pendant {time}. Si vous n’attendiez pas cet e-mail, ne faites rien : sans le lien, personne n’entre.",
  threeDays: "trois jours",
  fifteenMinutes: "15 minutes",
  passkeySubject: "Une nouvelle clé d’accès pour {shop}",
  passkeyAdded:
    "Une clé d’accès a été ajoutée à votre accès à {shop}. Qui a l’appareil se connecte avec elle.",
  passkeyUnknown:
    "Si c’était vous, ne faites rien. Sinon, connectez-vous et choisissez « Sign out on every device » dans les réglages : cela supprime aussi toutes les clés d’accès.",
};
