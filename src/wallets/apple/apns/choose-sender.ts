import { devSenders } from '../../../dev/senders.ts';
import { openPushSecret } from '../../../domain/certificates/push-settings.ts';
import type { Certificate, PushSettings } from '../../../domain/certificates/table.ts';
import type { Context } from '../../../domain/context.ts';
import { machineNow } from '../../../platform/clock.ts';
import { bindingNamed } from '../../../platform/env.ts';
import { areLocalTargetsAllowed } from '../../../platform/outbound.ts';
import { directTransport, providerToken, type Send } from './direct-transport.ts';
import type { PushSender, PushTransport } from './push-sender.ts';
import { relayTransport } from './relay-transport.ts';

type PushingCertificate = Pick<Certificate, 'id' | 'accountId' | 'passTypeId' | 'push'>;

/**
 * Returns the sender for passes of a certificate, with the push method in its row (`certificate push`). Without one,
 * pushes are refused. A local service stores all pushes in its dev inbox. `connections` is the maximum that it may
 * open.
 */
export function pushSenderFor(ctx: Context, certificate: PushingCertificate, connections?: number): PushSender {
  const { id, passTypeId, push } = certificate;
  const way = push && { via: push.kind, transport: configureTransport(ctx, certificate, push, connections) };
  const dev = devSenders(ctx)?.pushes(way ?? undefined);
  if (dev) return dev;
  const { push: send } =
    way?.transport ??
    refusingTransport(`No push method is set for ${passTypeId}; set one with "certificate push --id ${id}"`);
  return {
    send: (topic, pushes) =>
      send(
        topic,
        pushes.map(({ token }) => token),
      ),
  };
}

function configureTransport(
  ctx: Context,
  certificate: PushingCertificate,
  push: PushSettings,
  connections?: number,
): PushTransport {
  const { env } = ctx;
  const open = (sealed: string) => openPushSecret(env, certificate, sealed);
  switch (push.kind) {
    case 'mtls': {
      const binding = bindingNamed(env, push.binding) as Partial<Fetcher> | undefined;
      if (typeof binding?.fetch !== 'function') {
        return refusingTransport(`wrangler.toml binds no mTLS certificate by the name ${push.binding}`);
      }
      return directTransport((url, init) => (binding as { fetch: Send }).fetch(url, init), undefined, connections);
    }
    case 'token': {
      const { keyId, teamId, keySealed } = push;
      return directTransport(
        (url, init) => fetch(url, init),
        async () => providerToken({ keyId, teamId, privateKeyPem: await open(keySealed) }, machineNow()),
        connections,
      );
    }
    case 'relay':
      return relayTransport(
        { url: push.url, token: () => open(push.tokenSealed) },
        { allowLocal: areLocalTargetsAllowed(env) },
      );
  }
}

function refusingTransport(reason: string): PushTransport {
  return { push: async (_topic, tokens) => tokens.map(() => ({ outcome: 'refused', reason })) };
}
