import { randomBytes } from 'node:crypto';
import { ApnsStandIn } from '../../test/support/apns-stand-in.ts';
import { type AdminAddress, runAdminCommand } from '../admin-client.ts';
import { type TopicCertificate, topicCertificate } from '../apns-relay/credentials.ts';
import { type RunningRelay, startRelay } from '../apns-relay/relay.ts';
import { typed } from '../cli/program.ts';
import { createDevelopmentAuthority } from '../development-ca.ts';
import { Problem } from '../settings.ts';

/** Route of pushes from the service to the phone, open while the phone runs. */
export interface PushRoute {
  relayOrigin: string;
  apnsOrigin: string;
  /** Restores the settings and closes the route. Returns messages for what could not be restored. */
  close(): Promise<string[]>;
}

interface ListedCertificate {
  certificateId: string;
  accountId: string | null;
  push: string | null;
}

const RELAY_TOKEN_BYTES = 32;
const HEALTH_MS_MAX = 1_000;
/** How the service describes a relay set by a phone. */
const LOCAL_RELAY = /^relay (http:\/\/127\.0\.0\.1:\d+)$/;

/**
 * Starts a stand-in for Apple's push service (HTTP/2, temporary certificate authority) and a relay to it, and points
 * the pass types' certificates there. Throws a `Problem` if they already use another route, because its secrets could
 * not be restored.
 */
export async function openPushRoute(
  service: AdminAddress,
  passTypeIds: string[],
  onPush: (token: string, topic: string) => void,
): Promise<PushRoute> {
  const owned = new Map<string, ListedCertificate[]>();
  for (const passTypeId of passTypeIds) owned.set(passTypeId, await freeCertificates(service, passTypeId));
  const authority = await throwAwayCertificates(passTypeIds);
  const apns = await ApnsStandIn.open({ clientRootPem: authority.rootPem });
  apns.onPush(({ token, topic }) => onPush(token, topic));
  const token = randomBytes(RELAY_TOKEN_BYTES).toString('hex');
  const relay = await startRelay({
    host: '127.0.0.1',
    port: 0,
    token,
    credentials: { certificates: authority.certificates },
    apnsOrigin: apns.origin,
    apnsCaPem: apns.rootPem,
  });
  const route: PushRoute = {
    relayOrigin: relay.origin,
    apnsOrigin: apns.origin,
    async close() {
      const left = await takeBack(service, [...owned], relay);
      await relay.close();
      await apns.close();
      return left;
    },
  };
  try {
    for (const { certificateId: id } of [...owned.values()].flat()) {
      await runAdminCommand(service, 'certificate push', { id, 'relay-url': relay.origin, 'relay-token': token });
    }
    return route;
  } catch (error) {
    await route.close();
    throw error;
  }
}

/** Returns one certificate per owner of the pass type, because settings apply to all of an owner's certificates. */
async function freeCertificates(service: AdminAddress, passTypeId: string): Promise<ListedCertificate[]> {
  const listed = await certificatesOf(service, passTypeId);
  if (listed.length === 0) {
    throw new Problem(
      `The service on this machine has no certificate for ${passTypeId}: is the pass from another service?`,
    );
  }
  for (const { push, certificateId } of listed) {
    if (push === null) continue;
    const [, relay] = LOCAL_RELAY.exec(push) ?? [];
    if (!relay) {
      throw new Problem(
        `Pushes for ${passTypeId} already use ${push}. To send them to the phone: ` +
          typed('admin', `certificate push --id ${certificateId} --none`),
      );
    }
    // If it answers, another phone is running; otherwise it was left by a killed one.
    if (await answers(relay)) throw new Problem(`Another phone receives the pushes for ${passTypeId}: stop it first.`);
  }
  return [...new Map(listed.map((one) => [one.accountId, one])).values()];
}

function certificatesOf(service: AdminAddress, passTypeId: string): Promise<ListedCertificate[]> {
  return runAdminCommand(service, 'certificate list', { 'pass-type': passTypeId });
}

async function answers(origin: string): Promise<boolean> {
  try {
    return (await fetch(`${origin}/health`, { signal: AbortSignal.timeout(HEALTH_MS_MAX) })).ok;
  } catch {
    return false;
  }
}

/**
 * Creates certificates for the relay to the stand-in, from one authority. The phone doesn't need the real ones, and
 * can't know their keys.
 */
async function throwAwayCertificates(
  passTypeIds: string[],
): Promise<{ rootPem: string; certificates: TopicCertificate[] }> {
  const roots: string[] = [];
  const certificates: TopicCertificate[] = [];
  for (const passTypeId of passTypeIds) {
    const facts = { passTypeId, teamId: 'PHONE00000', organizationName: 'Simulated phone', keyType: 'ec' } as const;
    const { rootPem, ...files } = await createDevelopmentAuthority(facts);
    roots.push(rootPem);
    certificates.push(topicCertificate(files, passTypeId));
  }
  return { rootPem: roots.join('\n'), certificates };
}

/** Removes only settings that still point here; someone may have changed them meanwhile. */
async function takeBack(
  service: AdminAddress,
  owned: [string, ListedCertificate[]][],
  relay: RunningRelay,
): Promise<string[]> {
  const left: string[] = [];
  for (const [passTypeId, certificates] of owned) {
    try {
      const now = await certificatesOf(service, passTypeId);
      for (const { certificateId: id } of certificates) {
        const isOurs = now.some((one) => one.certificateId === id && one.push === `relay ${relay.origin}`);
        if (isOurs) await runAdminCommand(service, 'certificate push', { id, none: true });
      }
    } catch {
      left.push(...certificates.map(({ certificateId }) => certificateId));
    }
  }
  return left;
}
