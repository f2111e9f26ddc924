import type { MailTexts } from "./texts.js";

export const fr: MailTexts = {
  subject: "Votre carte : {card}",
  greeting: "Bonjour {name},",
  namelessGreeting: "Bonjour,",
  yourCard: "Voici votre carte. Conservez cet e-mail pour pouvoir l’ouvrir à tout moment.",
  askedAgain: "Une carte a été demandée avec votre adresse e-mail. Vous en avez déjà une : la voici.",
  open: "Ouvrir votre carte",
  confirmNews:
    "Vous avez demandé nos actualités par e-mail. Pour les recevoir, ouvrez votre carte et touchez « {button} ».",
  why: "Vous recevez cet e-mail parce que votre adresse a été utilisée pour demander cette carte. Si ce n’était pas vous, ouvrez la carte et demandez-nous de ne plus vous écrire.",
  followLink: "En savoir plus",
  whyNews: "Vous recevez cet e-mail parce que vous avez accepté de recevoir nos actualités par e-mail.",
  whyTest: "Cet e-mail est un test. Il n’a été envoyé qu’à vous.",
  invitationSubject: "Invitation à rejoindre {shop}",
  invitation:
    "Vous avez reçu une invitation à rejoindre l’équipe de {shop}. Ouvrez ce lien pour vous connecter :",
  signInSubject: "Votre lien de connexion",
  signInAsked: "Une connexion a été demandée avec cette adresse e-mail. Ouvrez le lien pour continuer :",
  signIn: "Se connecter",
  linkOnce:
    "Le lien ne fonctionne qu’une fois et expire au bout de {time}. Si vous n’attendiez pas cet e-mail, vous pouvez l’ignorer. Personne ne peut se connecter sans ce lien.",
  threeDays: "trois jours",
  fifteenMinutes: "15 minutes",
  passkeySubject: "Une nouvelle clé d’accès pour {shop}",
  passkeyAdded:
    "Une clé d’accès a été ajoutée à votre compte {shop}. Toute personne ayant accès à l’appareil peut l’utiliser pour se connecter.",
  passkeyUnknown:
    "Si c’était vous, vous n’avez rien à faire. Sinon, connectez-vous et choisissez « Sign out of all devices » dans les réglages. Cela supprime aussi toutes vos clés d’accès.",
};
