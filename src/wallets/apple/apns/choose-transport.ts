import { openPushSecret } from '../../../domain/certificates/push-settings.ts';
import type { Certificate, PushSettings } from '../../../domain/certificates/table.ts';
import type { Context } from '../../../domain/context.ts';
import { hasOutbox, leaveInOutbox } from '../../../domain/outbox/leave-in-outbox.ts';
import { bindingNamed } from '../../../platform/env.ts';
import { localTargetsAllowed } from '../../../platform/outbound.ts';
import { directTransport, type Send } from './direct-transport.ts';
import { outboxTransport, type PushedFor } from './outbox-transport.ts';
import { providerToken } from './provider-token.ts';
import type { PushTransport } from './push-transport.ts';
import { relayTransport } from './relay-transport.ts';

/** What choosing takes of a certificate. */
export type PushingCertificate = Pick<Certificate, 'id' | 'accountId' | 'passTypeId' | 'push'>;

/**
 * The way that pushes for the passes of a certificate take, as its row says (`certificate push`). Without one they stay
 * in the outbox of a local service, and are refused elsewhere. A local service keeps an item for those that leave it,
 * too; `pushedFor` stands in the items.
 */
export function pushTransportFor(
  ctx: Context,
  certificate: PushingCertificate,
  pushedFor: PushedFor = {},
): PushTransport {
  const { id, passTypeId, push } = certificate;
  if (push) {
    const transport = configured(ctx, certificate, push);
    return hasOutbox(ctx.env) ? alsoInOutbox(ctx, transport, { ...pushedFor, via: push.kind }) : transport;
  }
  if (hasOutbox(ctx.env)) return outboxTransport(ctx, pushedFor);
  return refusing(`No push method is set for ${passTypeId}; set one with "certificate push --id ${id}"`);
}

function configured(ctx: Context, certificate: PushingCertificate, push: PushSettings): PushTransport {
  const { env } = ctx;
  const open = (sealed: string) => openPushSecret(env, certificate, sealed);
  switch (push.kind) {
    case 'mtls': {
      const binding = bindingNamed(env, push.binding) as Partial<Fetcher> | undefined;
      if (typeof binding?.fetch !== 'function') {
        return refusing(`wrangler.toml binds no mTLS certificate by the name ${push.binding}`);
      }
      return directTransport((url, init) => (binding as { fetch: Send }).fetch(url, init));
    }
    case 'token': {
      const { keyId, teamId, keySealed } = push;
      return directTransport(
        (url, init) => fetch(url, init),
        async () => providerToken({ keyId, teamId, privateKeyPem: await open(keySealed) }, Date.now()),
      );
    }
    case 'relay':
      return relayTransport(
        { url: push.url, token: () => open(push.tokenSealed) },
        { allowLocal: localTargetsAllowed(env) },
      );
  }
}

function refusing(reason: string): PushTransport {
  return { push: async (_topic, tokens) => tokens.map(() => ({ outcome: 'refused', reason })) };
}

/** Notes each push with what became of it. */
function alsoInOutbox(
  ctx: Context,
  transport: PushTransport,
  { text, ...details }: PushedFor & { via: string },
): PushTransport {
  return {
    async push(topic, tokens) {
      const outcomes = await transport.push(topic, tokens);
      await leaveInOutbox(
        ctx,
        tokens.map((to, index) => ({
          kind: 'apns',
          to,
          subject: topic,
          text,
          details: { ...details, ...outcomes[index] },
        })),
      );
      return outcomes;
    },
  };
}
