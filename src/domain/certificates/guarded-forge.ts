import { invalid } from '../errors.ts';

/** Rounds of one key derivation. Programs write 2,000 to 10,000; more only keeps the Worker busy. */
const ROUNDS_MAX = 100_000;
/** Rounds of a whole file: its MAC, each encrypted part and each encrypted key derive keys of their own. */
const ROUNDS_IN_ALL_MAX = 200_000;

export type Forge = typeof import('node-forge');
type Derive = (...parameters: unknown[]) => unknown;

/** What is left for the file that is being opened. Opening runs without a pause, so there is one at a time. */
let roundsLeft = 0;
let guarded: Promise<Forge> | undefined;

/**
 * Opens a file with the library for PKCS#12, which is loaded with the first file: hardly any request needs it. Each
 * key derivation asks for its rounds before it runs, so parts that only show after a decryption count like the others.
 * Throws `invalid` when a file asks for too many.
 */
export function withRoundLimit<T>(open: (forge: Forge) => T): Promise<T> {
  guarded ??= import('node-forge').then(({ default: forge }) => guard(forge));
  return guarded.then((forge) => {
    roundsLeft = ROUNDS_IN_ALL_MAX;
    return open(forge);
  });
}

/** These three are all through which the library derives keys for PKCS#12; it looks them up at each call. */
function guard(forge: Forge): Forge {
  const { pkcs5, pkcs12, pki } = forge as unknown as Record<'pkcs5' | 'pkcs12', Record<string, Derive>> & {
    pki: { pbe: Record<string, Derive> };
  };
  countRounds(pkcs5, 'pbkdf2', 2);
  countRounds(pki.pbe, 'generatePkcs12Key', 3);
  countRounds(pkcs12, 'generateKey', 3);
  return forge;
}

function countRounds(owner: Record<string, Derive>, name: string, position: number): void {
  const derive = owner[name]!;
  owner[name] = (...parameters) => {
    const rounds = Number(parameters[position]);
    // A count that is no number is refused, too.
    if (!(rounds <= ROUNDS_MAX && rounds <= roundsLeft)) throw tooManyRounds();
    roundsLeft -= rounds;
    return derive(...parameters);
  };
}

const tooManyRounds = () =>
  invalid(
    `The .p12 file derives its keys in more than ${ROUNDS_MAX} rounds, or ${ROUNDS_IN_ALL_MAX} in all; export it with fewer, for example 2048`,
  );
