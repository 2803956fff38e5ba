import { createPrivateKey, type KeyObject } from 'node:crypto';
import { DomainError, invalid, invalidField } from '../errors.ts';

/** Rounds that an encrypted key may ask for: a tenth of a second. Programs write 2,048, careful people 600,000. */
const ROUNDS_MAX = 1_000_000;
/** N × r × p of scrypt: what openssl writes, which takes 16 MiB. */
const SCRYPT_COST_MAX = 131_072;

const PBES2 = '1.2.840.113549.1.5.13';
const SCRYPT = '1.3.6.1.4.1.11591.4.11';

type Asn1 = typeof import('node-forge').asn1;
type Node = import('node-forge').asn1.Asn1;

/**
 * Reads the first private key of a PEM text, encrypted or not. Throws `invalid`, naming the key, when it is none, when
 * the passphrase is wrong and, before anything is derived from that, when deriving would take longer than a key needs.
 */
export async function readPrivateKeyFile(bytes: Uint8Array, passphrase: string): Promise<KeyObject> {
  const block = firstKey(new TextDecoder().decode(bytes));
  if (!block) throw invalidField('Key', 'must be a private key in PEM');
  const isEncrypted = block.pem.includes('ENCRYPTED');
  const pem = block.label === 'ENCRYPTED PRIVATE KEY' ? await checkedPem(block) : block.pem;
  try {
    return createPrivateKey({ key: pem, ...(isEncrypted && { passphrase }) });
  } catch {
    throw invalid(isEncrypted ? 'The password of the key is missing or wrong' : 'Key: must be a private key in PEM');
  }
}

interface Block {
  label: string;
  /** With its first and last line. */
  pem: string;
  /** What stands between them. */
  body: string;
}

function firstKey(text: string): Block | undefined {
  const begin = /-----BEGIN ([A-Z]{1,20} )?PRIVATE KEY-----/.exec(text);
  if (!begin) return undefined;
  const label = `${begin[1] ?? ''}PRIVATE KEY`;
  const last = `-----END ${label}-----`;
  const start = begin.index + begin[0].length;
  const end = text.indexOf(last, start);
  if (end < 0) return undefined;
  return { label, pem: text.slice(begin.index, end + last.length), body: text.slice(start, end) };
}

/** The key again, written anew from what was checked, so that no other reading of the same bytes is derived from. */
async function checkedPem({ label, body }: Block): Promise<string> {
  const { default: forge } = await import('node-forge');
  const { asn1, util } = forge;
  let der: string;
  try {
    const info = asn1.fromDer(util.createBuffer(Buffer.from(body, 'base64').toString('latin1')));
    requireLittleWork(asn1, info);
    der = asn1.toDer(info).getBytes();
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw invalidField('Key', 'must be a private key in PEM');
  }
  const base64 = Buffer.from(der, 'latin1').toString('base64');
  return `-----BEGIN ${label}-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`;
}

/** Looks at the parameters of an EncryptedPrivateKeyInfo (RFC 5958 §3; RFC 8018 appendix A; RFC 7914 §7). */
function requireLittleWork(asn1: Asn1, info: Node): void {
  const [algorithm] = membersOf(info);
  let [name, parameters] = membersOf(algorithm);
  if (oidOf(asn1, name) === PBES2) [name, parameters] = membersOf(membersOf(parameters)[0]);
  const numbers = membersOf(parameters)
    .filter(({ type }) => type === asn1.Type.INTEGER)
    .map(({ value }) => Number(`0x${Buffer.from(String(value), 'latin1').toString('hex') || '0'}`));
  if (oidOf(asn1, name) === SCRYPT) {
    const cost = numbers.slice(0, 3).reduce((product, number) => product * number, 1);
    if (!(cost <= SCRYPT_COST_MAX)) {
      throw invalidField(
        'Key',
        `its scrypt parameters N × r × p must be at most ${SCRYPT_COST_MAX}, for example 16384 × 8 × 1`,
      );
    }
  } else if (!(Math.max(0, ...numbers) <= ROUNDS_MAX)) {
    throw invalidField(
      'Key',
      `derives its key in more than ${ROUNDS_MAX} rounds; encrypt it with fewer, for example 2048`,
    );
  }
}

function membersOf(node: Node | undefined): Node[] {
  return Array.isArray(node?.value) ? node.value : [];
}

function oidOf(asn1: Asn1, node: Node | undefined): string {
  if (node?.type !== asn1.Type.OID || typeof node.value !== 'string') throw new TypeError('no object identifier');
  return asn1.derToOid(node.value);
}
