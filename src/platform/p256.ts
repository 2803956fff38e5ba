// A static named import, so that the bundler keeps ECDSA on this curve (a third of the library) and drops the rest.
export { p256 } from '@noble/curves/nist.js';
