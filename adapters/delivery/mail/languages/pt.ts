import type { MailTexts } from "./texts.js";

export const pt: MailTexts = {
  subject: "O seu cartão: {card}",
  greeting: "Olá {name},",
  namelessGreeting: "Olá,",
  yourCard: "Aqui está o seu cartão. Guarde este e-mail para poder abrir o seu cartão a qualquer momento.",
  askedAgain: "Alguém pediu um cartão com o seu endereço de e-mail. Já tem um. Aqui está ele novamente.",
  open: "Abrir o seu cartão",
  confirmNews: "Pediu novidades por e-mail. Para as receber, abra o seu cartão e toque em «{button}».",
  why: "Recebe este e-mail porque o seu endereço foi usado para pedir este cartão. Se não foi o próprio, abra o cartão e peça-nos para não lhe voltarmos a escrever.",
  followLink: "Saber mais",
  whyNews: "Recebe este e-mail porque subscreveu as novidades por e-mail.",
  whyTest: "Este e-mail é um teste, enviado apenas para si.",
  invitationSubject: "Convite para {shop}",
  invitation: "Recebeu um convite para se juntar à equipa de {shop}. Abra este link para iniciar sessão:",
  signInSubject: "O seu link para iniciar sessão",
  signInAsked:
    "Recebemos um pedido para iniciar sessão com este endereço de e-mail. Abra o link para continuar:",
  signIn: "Iniciar sessão",
  linkOnce:
    "O link só funciona uma vez e expira ao fim de {time}. Se não esperava este e-mail, pode ignorá-lo. Ninguém consegue iniciar sessão sem o link.",
  threeDays: "três dias",
  fifteenMinutes: "15 minutos",
  passkeySubject: "Uma nova chave de acesso para {shop}",
  passkeyAdded:
    "Foi adicionada uma chave de acesso à sua conta de {shop}. Quem tiver acesso ao dispositivo pode usá-la para iniciar sessão.",
  passkeyUnknown:
    "Se foi o próprio, não precisa de fazer nada. Se não, inicie sessão e escolha «Sign out of all devices» nas definições. Isto também remove todas as suas chaves de acesso.",
};
