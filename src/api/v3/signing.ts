import { Hono } from 'hono';
import * as z from 'zod';
import { listSigningKeys } from '../../domain/signing-keys/signer.ts';
import type { ApiEnv } from '../api-env.ts';
import { envelopeV3, envelopeV3Schema } from '../envelope.ts';
import { PUBLIC_KEY_EXAMPLE } from '../examples.ts';
import { operation } from '../operation.ts';
import { text } from '../view-fields.ts';

const PublicKeysView = z.object({
  publicKey: text(PUBLIC_KEY_EXAMPLE),
  publicKeys: z.array(z.object({ keyId: z.uuid(), publicKey: text(PUBLIC_KEY_EXAMPLE) })),
});

export const signingRoutes = new Hono<ApiEnv>().get(
  '/publickey',
  operation({
    id: 'readSigningPublicKeys',
    summary: 'Get the public keys of sign()',
    description:
      '`publicKey` verifies new signatures: ECDSA on P-256 with SHA-256 over the UTF-8 bytes of the text, the ' +
      'signature as hexadecimal DER. After a rotation, use an earlier key of `publicKeys` to verify older ' +
      'signatures. The list starts with the current key and continues from the newest to the oldest. A ' +
      'signature does not name its key: try the keys in this order, and remember the one that matches.',
    tag: 'Signing',
    scope: 'passes:read',
    replies: { 200: { description: 'PEM (SubjectPublicKeyInfo)', schema: envelopeV3Schema(PublicKeysView) } },
  }),
  async (c) => {
    const keys = await listSigningKeys(c.var.ctx);
    const publicKeys = keys.map(({ id, publicKeyPem }) => ({ keyId: id, publicKey: publicKeyPem }));
    const data = { publicKey: publicKeys[0]!.publicKey, publicKeys };
    return envelopeV3(c, { description: 'Signing keys', data, count: 1 });
  },
);
