import { generateKeyPairSync, sign } from "node:crypto";

/** A certificate of a test's own and its key, in PEM. */
export interface Certificate {
  readonly name: string;
  readonly cert: string;
  readonly key: string;
}

/**
 * Makes a self-signed certificate for 127.0.0.1 (RFC 5280).
 *
 * @param validFrom the first of its two days, from today: by default it is valid from yesterday to tomorrow
 */
export function makeCertificate(name: string, validFrom = -1): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const from = Date.now() + validFrom * DAY_MS;
  const subject = sequence(der(SET, sequence(COMMON_NAME, der(UTF8_STRING, Buffer.from(name)))));
  const alternativeNames = sequence(der(IP_ADDRESS, Buffer.from([127, 0, 0, 1])));
  const toBeSigned = sequence(
    der(VERSION, integer(2)),
    integer(1),
    ECDSA_WITH_SHA256,
    subject,
    sequence(time(from), time(from + 2 * DAY_MS)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    der(EXTENSIONS, sequence(sequence(SUBJECT_ALTERNATIVE_NAME, der(OCTET_STRING, alternativeNames)))),
  );
  const signature = sign("sha256", toBeSigned, privateKey);
  const certificate = sequence(
    toBeSigned,
    ECDSA_WITH_SHA256,
    // The first octet of a bit string counts the bits to spare.
    der(BIT_STRING, Buffer.from([0]), signature),
  );
  return { name, cert: pem(certificate), key: privateKey.export({ type: "pkcs8", format: "pem" }) as string };
}

const DAY_MS = 24 * 60 * 60 * 1000;

// Tags of ITU-T X.690, and the context-specific tags of X.509.
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const SEQUENCE = 0x30;
const SET = 0x31;
const IP_ADDRESS = 0x87;
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;

const COMMON_NAME = Buffer.from("0603550403", "hex");
const SUBJECT_ALTERNATIVE_NAME = Buffer.from("0603551d11", "hex");
const ECDSA_WITH_SHA256 = sequence(Buffer.from("06082a8648ce3d040302", "hex"));

function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, ...lengthOctets(body.length)]), body]);
}

/** DER wants the shortest form. */
function lengthOctets(length: number): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

function sequence(...content: readonly Uint8Array[]): Buffer {
  return der(SEQUENCE, ...content);
}

/** @param value below 128 */
function integer(value: number): Buffer {
  return der(INTEGER, Buffer.from([value]));
}

function time(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replaceAll(/[^0-9]/g, "");
  return der(UTC_TIME, Buffer.from(`${digits.slice(2, 14)}Z`));
}

function pem(certificate: Buffer): string {
  const lines = certificate.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}
