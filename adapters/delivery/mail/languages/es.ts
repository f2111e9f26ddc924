import type { MailTexts } from "./texts.js";

export const es: MailTexts = {
  subject: "Tu tarjeta: {card}",
  greeting: "Hola, {name}:",
  namelessGreeting: "Hola:",
  yourCard: "Aquí está tu tarjeta. Guarda este correo para poder abrir tu tarjeta en cualquier momento.",
  askedAgain: "Alguien ha pedido una tarjeta con tu dirección de correo. Ya tienes una. Aquí está de nuevo.",
  open: "Abrir tu tarjeta",
  confirmNews:
    "Has pedido novedades por correo electrónico. Para recibirlas, abre tu tarjeta y pulsa «{button}».",
  why: "Recibes este correo porque alguien usó tu dirección para pedir esta tarjeta. Si no fuiste tú, abre la tarjeta e indícanos que no te escribamos más.",
  followLink: "Más información",
  whyNews: "Recibes este correo porque te suscribiste a las novedades por correo electrónico.",
  whyTest: "Este es un correo de prueba que solo se te ha enviado a ti.",
  invitationSubject: "Invitación a {shop}",
  invitation: "Te han invitado a unirte al equipo de {shop}. Abre este enlace para iniciar sesión:",
  signInSubject: "Tu enlace para iniciar sesión",
  signInAsked:
    "Hemos recibido una solicitud para iniciar sesión con esta dirección de correo. Abre el enlace para continuar:",
  signIn: "Iniciar sesión",
  linkOnce:
    "El enlace solo funciona una vez y caduca a los {time}. Si no esperabas este correo, puedes ignorarlo. Nadie puede iniciar sesión sin el enlace.",
  threeDays: "tres días",
  fifteenMinutes: "15 minutos",
  passkeySubject: "Una nueva llave de acceso para {shop}",
  passkeyAdded:
    "Se ha añadido una llave de acceso a tu cuenta de {shop}. Quien tenga acceso al dispositivo puede usarla para iniciar sesión.",
  passkeyUnknown:
    "Si has sido tú, no tienes que hacer nada. Si no, inicia sesión y pulsa «Sign out of all devices» en los ajustes. Así también se eliminan todas tus llaves de acceso.",
};
