import type { MailTexts } from "./texts.js";

export const pt: MailTexts = {
  subject: "O seu cartão: {card}",
  greeting: "Olá {name},",
  namelessGreeting: "Olá,",
  yourCard: "Aqui está o seu cartão. Guarde este e-mail: a ligação leva ao seu cartão a qualquer momento.",
  askedAgain: "Foi pedido um cartão com o seu endereço de e-mail. Já tem um, e aqui está ele.",
  open: "Abrir o seu cartão",
  why: "Recebe este e-mail porque o seu endereço foi indicado para este cartão. Não foi você? Abra o cartão e diga lá que não lhe devemos voltar a escrever.",
  followLink: "Saber mais",
  whyNews: "Recebe este e-mail porque aceitou receber novidades por e-mail.",
  whyTest: "Este e-mail é um teste, enviado apenas para si.",
  invitationSubject: "O seu acesso a {shop}",
  invitation: "Foi convidado a trabalhar com {shop}. Abra esta ligação para iniciar sessão:",
  signInSubject: "A sua ligação para iniciar sessão",
  signInAsked:
    "Alguém, provavelmente o próprio, quer iniciar sessão com este endereço. Abra a ligação para continuar:",
  signIn: "Iniciar sessão",
  linkOnce:
    "A ligação serve uma vez e só durante {time}. Se não esperava este e-mail, não faça nada: sem a ligação ninguém entra.",
  threeDays: "três dias",
  fifteenMinutes: "15 minutos",
  passkeySubject: "Uma nova chave de acesso para {shop}",
  passkeyAdded:
    "Foi adicionada uma chave de acesso ao seu acesso a {shop}. Quem tiver o dispositivo inicia sessão com ela.",
  passkeyUnknown:
    "Se foi o próprio, não faça nada. Se não, inicie sessão e escolha «Sign out on every device» nas definições: isso remove também todas as chaves de acesso.",
};
