/** A text in which there may be URLs of Postgres databases, without their passwords. */
export function withoutPasswords(text: string): string {
  return text
    .replace(/(postgres(?:ql)?:(?:\/\/)?[^:\s]*):\S*@/gi, "$1@")
    .replace(/([?&]\w*pass\w*=)[^&\s']*/gi, "$1");
}
