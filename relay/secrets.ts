/** A key of HMAC-SHA256, as a secret's text stands for it. */
export type Secret = Uint8Array;

/** The bounds of Standard Webhooks 1.0: 192 to 512 bits. */
const SECRET_MIN_BYTES = 24;
const SECRET_MAX_BYTES = 64;
/** The current secret, and its predecessor or successor during a rotation. */
const SECRETS_MAX = 2;

/** What the text of a secret begins with. */
export const SECRET_PREFIX = "whsec_";
const SECRET = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;

/**
 * Reads the secrets of a file or a variable: one, or two during a rotation, separated by white space.
 *
 * @returns the secrets, or what is wrong, as the end of a sentence; it shows no part of a secret
 */
export function readSecrets(text: string): readonly Secret[] | string {
  const words = text.split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return "holds no secret";
  if (words.length > SECRETS_MAX) return `holds ${words.length} secrets; a rotation has two at most`;
  const secrets: Secret[] = [];
  for (const word of words) {
    const [, base64] = SECRET.exec(word) ?? [];
    if (base64 === undefined) return "holds something else than whsec_ and base64, for example a placeholder";
    const secret = Buffer.from(base64, "base64");
    if (secret.length < SECRET_MIN_BYTES || secret.length > SECRET_MAX_BYTES) {
      const rule = `a secret has ${SECRET_MIN_BYTES} to ${SECRET_MAX_BYTES} bytes before base64`;
      return `holds a secret of ${secret.length} bytes; ${rule}: make one with \`openssl rand -base64 32\``;
    }
    if (isAmong(secrets, secret)) return "holds the same secret twice; leave one out, or name its successor";
    secrets.push(secret);
  }
  return secrets;
}

/** Whether a secret is one of these. */
export function isAmong(secrets: readonly Secret[], secret: Secret): boolean {
  return secrets.some((each) => Buffer.compare(each, secret) === 0);
}
